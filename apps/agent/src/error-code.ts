import type { OrderFault } from '@muster/wire/messages/refusal.ts'

/** Why a command could not be done, for programs. */
export const errorCodes = [
  'UNSUPPORTED_COMMAND',
  'INVALID_PAYLOAD',
  'INTERRUPTED',
  'JOURNAL_UNAVAILABLE',
  'RESULT_FORGOTTEN',
  'COMMAND_FAILED',
  'INTERPRETER_NOT_FOUND',
  'SCRIPT_NOT_STARTED',
  'EXIT_CODE',
  'SIGNAL',
  'NOT_FOUND',
  'DENIED',
  'EXISTS',
  'CHANGED',
  'TOO_LARGE',
  'BUSY',
  'TIMED_OUT',
  'UNSUPPORTED_PLATFORM',
  'NO_SERVICE_MANAGER',
  'NOT_PERMITTED',
  'NO_USER_SESSION',
  'UNSIGNED_SCRIPT',
  'GRANT_MISMATCH',
  'GRANT_EXPIRED',
  'SECRET_NOT_FOUND',
  'SECRETS_UNREADABLE',
] as const

export type ErrorCode = OrderFault | (typeof errorCodes)[number]
