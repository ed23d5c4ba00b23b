import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { ToolFailure } from '../../../tool-failure.ts'
import { type Mac, programEnvironment } from '../mac.ts'

const lineCharsMax = 64 * 1024
/** Output of one run at most; a filter of the request keeps most runs far below. */
const runBytesMax = 64 * 1024 * 1024

/** A line of `log show --style ndjson`; every field may be missing. */
const Line = z.looseObject({
  timestamp: z.string().optional().catch(undefined),
  machTimestamp: z.number().optional().catch(undefined),
  threadID: z.number().optional().catch(undefined),
  processID: z.number().optional().catch(undefined),
  processImagePath: z.string().optional().catch(undefined),
  subsystem: z.string().optional().catch(undefined),
  messageType: z.string().optional().catch(undefined),
  eventMessage: z.string().nullish().catch(undefined),
})
export type LogLine = z.infer<typeof Line>

export interface LogSpan {
  fromMs: number
  toMs: number
  predicate: string
  /** `--info`, `--debug` */
  flags: readonly string[]
  /** Called in the order of time. */
  accepts(line: LogLine): boolean
}

export interface LogRun {
  /** The newest accepted lines of the span, oldest first. */
  lines: LogLine[]
  /** Whether older accepted lines were dropped. */
  isCut: boolean
}

/**
 * Runs `log show` over a span and keeps its newest accepted lines: it prints the oldest first and cannot be limited.
 * @returns undefined when it took too long or printed too much, because its newest lines are then unknown
 */
export function showLog(mac: Mac, span: LogSpan, most: number, timeoutMs: number): Promise<LogRun | undefined> {
  const args = ['show', '--style', 'ndjson', '--start', momentOf(span.fromMs), '--end', momentOf(span.toMs + 999)]
  const child = spawn('log', [...args, '--predicate', span.predicate, ...span.flags], {
    env: programEnvironment(mac),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    const lines: LogLine[] = []
    let [bytes, isCut, isLate, words] = [0, false, false, '']
    const giveUp = () => {
      isLate = true
      child.kill('SIGKILL')
    }
    const timer = setTimeout(giveUp, timeoutMs)
    createInterface({ input: child.stdout }).on('line', (text) => {
      bytes += text.length
      if (bytes > runBytesMax && !isLate) giveUp()
      const line = text.length > lineCharsMax || isLate ? undefined : parseLogLine(text)
      if (line === undefined || !span.accepts(line)) return
      lines.push(line)
      if (lines.length <= most) return
      lines.shift()
      isCut = true
    })
    child.stderr.on('data', (piece: Buffer) => {
      if (words.length < 500) words += piece.toString()
    })
    child.on('error', () => {
      clearTimeout(timer)
      reject(new ToolFailure('UNSUPPORTED_PLATFORM', 'this Mac has no program log'))
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      if (isLate) resolve(undefined)
      else if (code === 0 || lines.length > 0) resolve({ lines, isCut })
      else reject(new ToolFailure('COMMAND_FAILED', words.trim().slice(0, 500) || `log ended with exit code ${code}`))
    })
  })
}

/** One event; undefined for the closing line with the count, and for a damaged one. */
export function parseLogLine(text: string): LogLine | undefined {
  try {
    const line = Line.safeParse(JSON.parse(text))
    return line.success && line.data.timestamp !== undefined ? line.data : undefined
  } catch {
    return undefined
  }
}

/** A time as `log` takes it: seconds only. */
const momentOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}+0000`

/** `2026-11-22 21:21:36.123456+0100` in microseconds; null for something else. */
export function microsOf(timestamp: string | undefined): number | null {
  const shape = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?([+-]\d\d):?(\d\d)$/
  const [, day, clock, fraction = '', hours, minutes] = shape.exec(timestamp ?? '') ?? []
  const ms = Date.parse(`${day}T${clock}${hours}:${minutes}`)
  return Number.isFinite(ms) ? ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6)) : null
}

/** A text in a predicate. */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
