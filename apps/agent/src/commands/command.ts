import type { OrderFault } from '@muster/wire/messages/refusal.ts'
import type { Result } from '@muster/wire/messages/result.ts'
import type { z } from 'zod'
import { ToolFailure } from '../tool-failure.ts'

/** How a command ended by itself. The rest of a result, and every other way to end, is the runner's. */
export type Outcome = Pick<Result, 'exitCode' | 'stdout' | 'stderr' | 'result' | 'error'> & {
  status: 'completed' | 'failed'
  /** Bytes for whoever waits for the answer; only a reply carries them. */
  data?: Uint8Array
}

export interface OutputPiece {
  stream: 'stdout' | 'stderr'
  output: string
  /** Bytes of this stream before the piece. */
  offset: number
}

export interface CommandRun {
  id: string
  /** Aborted when the command is cancelled, out of time, or the agent stops: end soon, with what there is. */
  signal: AbortSignal
  /** Bytes that came with a request. */
  data?: Uint8Array | undefined
  /** Shows a piece of output while the command runs; false when it would only queue up. */
  show(next: () => OutputPiece | undefined): boolean
}

export type Prepared =
  | { ok: true; run: (run: CommandRun) => Promise<Outcome> }
  /** What is wrong with the payload, beginning with the name of the field. */
  | { ok: false; problem: string }

export interface CommandKind {
  prepare(payload: unknown): Prepared
}

/** A command that the agent knows: what its payload must be, and what it does. */
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

export type ErrorCode =
  | OrderFault
  | 'UNSUPPORTED_COMMAND'
  | 'INVALID_PAYLOAD'
  | 'INTERRUPTED'
  | 'JOURNAL_UNAVAILABLE'
  | 'RESULT_FORGOTTEN'
  | 'COMMAND_FAILED'
  | 'INTERPRETER_NOT_FOUND'
  | 'SCRIPT_NOT_STARTED'
  | 'EXIT_CODE'
  | 'SIGNAL'
  | 'NOT_FOUND'
  | 'DENIED'
  | 'EXISTS'
  | 'CHANGED'
  | 'TOO_LARGE'
  | 'BUSY'
  | 'TIMED_OUT'
  | 'UNSUPPORTED_PLATFORM'
  | 'NO_SERVICE_MANAGER'

const errorCharsMax = 2000

/** The end of a command that something stood in the way of. */
export function failed(error: unknown): Outcome {
  const code = error instanceof ToolFailure ? error.code : 'COMMAND_FAILED'
  return { status: 'failed', error: errorText(code, error instanceof Error ? error.message : String(error)) }
}

/** The error text of a result: a code for programs, then words for people. */
export function errorText(code: ErrorCode, words: string): string {
  return `${code}: ${words}`.slice(0, errorCharsMax)
}
