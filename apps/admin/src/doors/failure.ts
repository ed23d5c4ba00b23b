import { refusalOf } from '@muster/db/violations.ts'
import { AppError, unavailable } from '@muster/kit/errors.ts'

/** Failures of the stores that pass by themselves: the caller is told to come back, not that we broke. */
const passing = new Set([
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

/** What the caller is told about whatever went wrong. Null means: nothing we have words for; answer 500 and log it. */
export function publicError(error: unknown): AppError | null {
  if (error instanceof AppError) return error
  const refusal = refusalOf(error)
  if (refusal !== null) return refusal
  const said = error instanceof Error ? error.message : ''
  if (
    passing.has(codeOf(error)) ||
    /timeout exceeded when trying to connect|Connection terminated|Connection is closed|max retries per request/i.test(
      said,
    )
  ) {
    return unavailable('The service is busy or restarting. Try again shortly', 2, error)
  }
  return null
}

export const internal = (requestId: string) =>
  new AppError('INTERNAL', 'Something went wrong on our side', { requestId })
