import { type AreaErrorCode, errorCodes, statusOfCode } from './vocabulary.ts'

/** The error codes that every area can answer with, and their HTTP statuses. Areas add theirs in their vocabulary. */
const ownCodes = errorCodes({
  VALIDATION_ERROR: 400,
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  EMAIL_NOT_VERIFIED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  ALREADY_PENDING: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  MISDIRECTED: 421,
  IDEMPOTENCY_KEY_REUSED: 422,
  MFA_REQUIRED: 428,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
})
export type ErrorCode = keyof typeof ownCodes | AreaErrorCode

/** A refusal with a message for the caller. `cause` is for the log alone. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** Further fields of the error response, such as `retryAfter`. */
  readonly extra: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, extra: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(message, { cause })
    this.name = 'AppError'
    this.code = code
    this.status = statusOfCode(code)
    this.extra = extra
  }

  /** The body of the error response: `{ code, message }` and further fields. */
  body(): Record<string, unknown> {
    return { code: this.code, message: this.message, ...this.extra }
  }
}

export const badRequest = (message: string, extra?: Record<string, unknown>) =>
  new AppError('BAD_REQUEST', message, extra)
/** @param message begins with the path of the field if it concerns one: `orgId: is required` */
export const invalid = (message: string, extra?: Record<string, unknown>) =>
  new AppError('VALIDATION_ERROR', message, { ...issuesIn(message), ...extra })

/** @throws VALIDATION_ERROR for a time that ends before it begins */
export function requireInOrder({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }) {
  if (from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to))
    throw invalid('from: must be before to')
}

/** The field that a message names, in the form of the errors of schemas. */
function issuesIn(message: string) {
  const [, path, words] = /^([a-z]\w*(?:\.[\w-]+)*): (.+)$/su.exec(message) ?? []
  return path === undefined ? {} : { issues: [{ path, message: words }] }
}
export const unauthenticated = (message = 'Authentication required') => new AppError('UNAUTHENTICATED', message)
export const denied = (message: string) => new AppError('FORBIDDEN', message)
/** The field tells programs that no other permission helps. */
export const partnerInactive = () =>
  new AppError('FORBIDDEN', 'Partner account is not active', { partnerInactive: true })
/** The same message for an absent and a hidden object: `notFound('Organization')` says `Organization not found`. */
export const notFound = (what: string) => new AppError('NOT_FOUND', `${what} not found`)
export const conflict = (message: string, code: 'CONFLICT' | 'ALREADY_PENDING' = 'CONFLICT') =>
  new AppError(code, message)
export const emailNotVerified = () =>
  new AppError('EMAIL_NOT_VERIFIED', 'Confirm your email address first, with the link of the mail that was sent to it')
export const mfaRequired = (by: 'role' | 'organization') =>
  new AppError('MFA_REQUIRED', `Your ${by} requires multi-factor authentication. Enroll an authenticator first`)
/** @param retryAfter seconds until a retry can succeed */
export const tooMany = (retryAfter: number, message = 'Too many requests') =>
  new AppError('RATE_LIMITED', message, { retryAfter })
/** @param retryAfter seconds */
export const unavailable = (message: string, retryAfter = 5, cause?: unknown) =>
  new AppError('UNAVAILABLE', message, { retryAfter }, cause)

/** States what must hold. If it does not, the request ends with 500 and the log has the reason. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${why}`)
}
