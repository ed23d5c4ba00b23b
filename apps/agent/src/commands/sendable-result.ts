import type { Result } from '@muster/wire/messages/result.ts'
import { decodeUp, encodeUp } from '@muster/wire/up.ts'
import { errorText } from './command.ts'

/** The result itself, or if the server could not read it, a failure that says why and keeps the output. */
export function sendableResult(result: Result): Result {
  const fault = faultOf(result)
  if (fault === undefined) return result
  const { commandId, durationMs, stdout, stderr } = result
  const error = errorText('COMMAND_FAILED', `it ran, but its result cannot be sent: ${fault}`)
  const failure: Result = { commandId, status: 'failed', error, durationMs }
  const withOutput = { ...failure, stdout, stderr }
  return faultOf(withOutput) === undefined ? withOutput : failure
}

function faultOf(body: Result): string | undefined {
  try {
    decodeUp(encodeUp({ name: 'result', sequence: 1, body }))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
