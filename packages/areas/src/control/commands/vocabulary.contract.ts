import { errorCodes } from '@muster/kit/vocabulary.ts'

/** What records of this area's changes are called in the audit log. */
export const actions = [
  'device.order_refused',
  'device.auto_update',
  'device.command',
  'device.command.cancel',
  'device.command.bulk',
  'device.command.request',
  'device.command.approve',
  'device.command.refuse',
  'device.command.expire',
  'device.command.stop',
  'device.command.allow',
] as const

/** The error codes of this area, with their HTTP statuses. */
export const errors = errorCodes({
  APPROVAL_REQUIRED: 403,
  NOT_PERMITTED: 403,
  COMMANDS_STOPPED: 409,
  DEVICE_OFFLINE: 409,
  DEVICE_BUSY: 409,
  DEVICE_REFUSED: 409,
  AGENT_TOO_OLD: 409,
  IN_MAINTENANCE: 409,
  MISSING_TOOL: 409,
  UNSUPPORTED_PLATFORM: 422,
  DEVICE_TIMEOUT: 504,
})
