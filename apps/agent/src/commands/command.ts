import type { Result } from '@muster/wire/messages/result.ts'
import type { z } from 'zod'
import type { ErrorCode } from '../error-code.ts'
import { failureOf, isDiskFull, ToolFailure } from '../tool-failure.ts'

/** The outcome that a command itself reports. The runner adds the rest of the result, and all other endings. */
export type Outcome = Pick<Result, 'exitCode' | 'stdout' | 'stderr' | 'result' | 'error'> & {
  status: 'completed' | 'failed'
  /** Bytes for the requester; only a reply carries them. */
  data?: Uint8Array
}

export interface OutputPiece {
  stream: 'stdout' | 'stderr'
  output: string
  /** Offset of the chunk in its stream, in bytes. */
  offset: number
}

export interface CommandRun {
  id: string
  /** How long it may run. */
  timeoutMs: number
  /** What allows the script of a `run_script`; a request has none. */
  grant?: string | undefined
  /** The sealed values of its secrets. */
  sealed?: Uint8Array | undefined
  /** Aborted when the command is canceled or times out, or the agent stops: the command must end soon with its output so far. */
  signal: AbortSignal
  /** Bytes that came with a request. */
  data?: Uint8Array | undefined
  /** Sends a chunk of output while the command runs; false when it would only be queued. */
  show(next: () => OutputPiece | undefined): boolean
}

export type Prepared =
  | { ok: true; run: (run: CommandRun) => Promise<Outcome> }
  /** The fault of the payload, beginning with the name of the field. */
  | { ok: false; problem: string }

export interface CommandKind {
  prepare(payload: unknown): Prepared
}

/** Defines a command of the agent: the schema of its payload and its implementation. */
export function defineCommand<S extends z.ZodType>(
  payload: S,
  run: (payload: z.output<S>, context: CommandRun) => Promise<Outcome>,
): CommandKind {
  return {
    prepare(value) {
      const parsed = payload.safeParse(value)
      if (parsed.success) return { ok: true, run: (context) => run(parsed.data, context) }
      const problem = parsed.error.issues
        .map((issue) => `${issue.path.join('.') || 'payload'} ${issue.message}`)
        .join('; ')
      return { ok: false, problem }
    },
  }
}

const errorCharsMax = 2000

/** The outcome of a command that failed with an error. */
export function failed(error: unknown): Outcome {
  const known = isDiskFull(error) ? failureOf(error, 'the disk') : error
  const code = known instanceof ToolFailure ? known.code : 'COMMAND_FAILED'
  return { status: 'failed', error: errorText(code, known instanceof Error ? known.message : String(known)) }
}

/** The error text of a result: a code for programs, then a message for people. */
export function errorText(code: ErrorCode, words: string): string {
  return `${code}: ${words}`.slice(0, errorCharsMax)
}
