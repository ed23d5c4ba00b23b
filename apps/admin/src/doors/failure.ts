import { refusalOf } from '@muster/db/violations.ts'
import { AppError, unavailable } from '@muster/kit/errors.ts'

/** Temporary errors of PostgreSQL and Redis. They are answered with 503 and a time for the retry, not with 500. */
const temporary = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '55P03',
  '57014',
  '08006',
  '08003',
])

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** The error that the caller gets. Null for an unexpected error, which is answered with 500 and logged. */
export function publicError(error: unknown): AppError | null {
  if (error instanceof AppError) return error
  const refusal = refusalOf(error)
  if (refusal !== null) return refusal
  const message = error instanceof Error ? error.message : ''
  if (
    temporary.has(codeOf(error)) ||
    /timeout exceeded when trying to connect|Connection terminated|Connection is closed|max retries per request/i.test(
      message,
    )
  ) {
    return unavailable('The service is busy or restarting. Try again shortly', 2, error)
  }
  return null
}

export const internal = (requestId: string) =>
  new AppError('INTERNAL', 'An unexpected error occurred. Report the requestId to the operator', { requestId })
