import { ToolFailure } from '../../../tool-failure.ts'
import { winErrors } from './error-codes.ts'
import { dll } from './koffi.ts'

const kernel = dll('kernel32')
const GetLastError = kernel.func<() => number>('GetLastError', 'uint32_t', [])
const FormatMessageW = kernel.func<
  (flags: number, source: null, code: number, language: number, buffer: Buffer, chars: number, args: null) => number
>('FormatMessageW', 'uint32_t', ['uint32_t', 'void *', 'uint32_t', 'uint32_t', 'void *', 'uint32_t', 'void *'])

const fromSystem = 0x1000
const ignoreInserts = 0x200

/** A call of the Win32 API failed. */
export class Win32Error extends Error {
  override readonly name = 'Win32Error'
  readonly code: number

  constructor(call: string, code: number) {
    super(`${call}: ${systemText(code) || 'unknown error'} (error ${code})`)
    this.code = code
  }
}

/** The words of the system for an error, in its language; empty for one that it does not know. */
export function systemText(code: number): string {
  const buffer = Buffer.alloc(2_048)
  const chars = FormatMessageW(fromSystem | ignoreInserts, null, code, 0, buffer, buffer.length / 2, null)
  return buffer.toString('utf16le', 0, chars * 2).trim()
}

/** The error of the last failed call. Must be asked for before any other call. */
export function lastError(call: string): Win32Error {
  return new Win32Error(call, GetLastError())
}

export const lastCode = (): number => GetLastError()

/** @throws Win32Error when a call returned zero */
export function must<T extends number | bigint>(call: string, result: T): T {
  if (Number(result) === 0) throw lastError(call)
  return result
}

/** @throws Win32Error when a function that returns its error returned one */
export function mustSucceed(call: string, code: number): void {
  if (code !== winErrors.success) throw new Win32Error(call, code)
}

/** An error of the API as the failure of a tool. */
export function failureOfCall(error: unknown, what: string): ToolFailure {
  if (error instanceof ToolFailure) return error
  if (!(error instanceof Win32Error)) return new ToolFailure('COMMAND_FAILED', `${what}: ${error}`)
  switch (error.code) {
    case winErrors.fileNotFound:
    case winErrors.pathNotFound:
    case winErrors.invalidParameter:
    case winErrors.serviceDoesNotExist:
    case winErrors.channelNotFound:
    case winErrors.notFound:
      return new ToolFailure('NOT_FOUND', `${what} not found`)
    case winErrors.accessDenied:
    case winErrors.privilegeNotHeld:
      return new ToolFailure('NOT_PERMITTED', `the agent has no permission for ${what}`)
    case winErrors.keyDeleted:
      return new ToolFailure('CHANGED', `${what} was deleted meanwhile`)
    default:
      return new ToolFailure('COMMAND_FAILED', `${what}: ${error.message}`)
  }
}
