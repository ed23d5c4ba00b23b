import { errorCodes } from '@muster/kit/vocabulary.ts'

/** The audit actions of this area. */
export const actions = [
  'monitor.create',
  'monitor.update',
  'monitor.delete',
  'monitor.check',
  'monitor.test',
  'monitor_alert.create',
  'monitor_alert.update',
  'monitor_alert.delete',
] as const

/** The error codes of this area, with their HTTP statuses. */
export const errors = errorCodes({ NO_PROBE: 409 })
