export type Fields = Record<string, unknown>

/** The log of the agent, for its operator or service: one line per event. */
export interface Log {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

type Level = keyof Log

/** A log of plain lines for people, or of JSON lines for collectors. */
export function createLog(json: boolean, write: (line: string) => void): Log {
  const format = json ? jsonLine : plainLine
  const at =
    (level: Level) =>
    (message: string, fields: Fields = {}) =>
      write(format(level, message, fields))
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

function jsonLine(level: Level, message: string, fields: Fields): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, app: 'agent', message, ...fields })}\n`
}

// The fields are omitted: the message already contains them.
function plainLine(level: Level, message: string): string {
  const time = new Date().toTimeString().slice(0, 8)
  const mark = level === 'info' ? '' : `${level}: `
  return `${time}  ${mark}${message.replaceAll(/\s*\n\s*/g, ' ')}\n`
}
