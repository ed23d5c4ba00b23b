import { z } from 'zod'

const LogLine = z.object({
  level: z.number(),
  msg: z.string().optional(),
  err: z.object({ message: z.string() }).optional(),
})
const errorLevel = 50

/** Why a process ended, from its log: its last error in JSON, or its last error in plain text. */
export function lastError(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const said = lines.map(errorIn).filter((line) => line !== undefined)
  return said.at(-1) ?? lines.at(-1)?.trim()
}

function errorIn(line: string): string | undefined {
  if (!line.startsWith('{')) {
    const settings = /^\s+([A-Z][A-Z0-9_]+ is (?:wrong|not set): .*)$/.exec(line)
    const plain = /^[\d:]+ +error: (.*)$/.exec(line)
    return settings?.[1] ?? plain?.[1] ?? /^(?:Uncaught )?(?:\w*Error)(?: \[\w+\])?: (.+)$/.exec(line)?.[1]
  }
  const { data } = LogLine.safeParse(parse(line))
  if (!data || data.level < errorLevel) return undefined
  return data.msg && data.msg !== 'uncaught exception' ? data.msg : (data.err?.message ?? data.msg)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
