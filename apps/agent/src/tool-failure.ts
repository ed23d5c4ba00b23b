import type { ErrorCode } from './error-code.ts'

/** Why a command failed, with a code for programs and a message for people. */
export class ToolFailure extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, words: string) {
    super(words)
    this.name = 'ToolFailure'
    this.code = code
  }
}

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/** Converts an error of the operating system. */
export function failureOf(error: unknown, what: string): ToolFailure {
  if (error instanceof ToolFailure) return error
  if (isDiskFull(error)) return new ToolFailure('COMMAND_FAILED', 'the disk of the machine is full')
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'ENOENT':
    case 'ESRCH':
      return new ToolFailure('NOT_FOUND', `${what} does not exist`)
    case 'ENOTDIR':
      return new ToolFailure('NOT_FOUND', `${what} is not a folder, or is below a file`)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new ToolFailure('DENIED', `the agent has no permission for ${what}`)
    case 'ELOOP':
      return new ToolFailure('DENIED', `${what} is a symbolic link`)
    case 'EEXIST':
      return new ToolFailure('EXISTS', `${what} exists already`)
    case 'EISDIR':
      return new ToolFailure('DENIED', `${what} is a folder`)
    default:
      return new ToolFailure('COMMAND_FAILED', error instanceof Error ? error.message : String(error))
  }
}
