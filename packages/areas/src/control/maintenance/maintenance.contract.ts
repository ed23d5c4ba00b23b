// What maintenance windows hold back, and what a device may do at the moment.
import { can, get, id, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const Activity = z.enum(['alerts', 'scripts', 'patches', 'automations', 'agentUpdates', 'software', 'reboots'])
export type Activity = z.infer<typeof Activity>

/** `suppress`: not during the window. `confine`: only during windows. */
export const Effect = z.enum(['none', 'suppress', 'confine'])
const alerts = z.enum(['none', 'suppress'])
/** Alerts happen at any time, so they cannot be confined. */
export const Effects = z.object({
  alerts,
  scripts: Effect,
  patches: Effect,
  automations: Effect,
  agentUpdates: Effect,
  software: Effect,
  reboots: Effect,
})
export type Effects = z.infer<typeof Effects>
export const defaultEffects: Effects = {
  alerts: 'suppress',
  scripts: 'none',
  patches: 'none',
  automations: 'none',
  agentUpdates: 'none',
  software: 'none',
  reboots: 'none',
}

export const VerdictReason = z.enum(['suppressed', 'outside_window', 'no_confining_window', 'unknown'])
/** Whether maintenance windows permit an activity of a device now. */
export const Verdict = z.object({
  permitted: z.boolean(),
  reason: VerdictReason.nullable(),
  windowId: id().nullable(),
  /** When the active window ends. */
  until: time().nullable(),
  /** When the activity is next permitted, as far as it is known. */
  nextPermittedAt: time().nullable(),
})
export type Verdict = z.infer<typeof Verdict>

export const deviceMaintenance = {
  get: get('/devices/:id/maintenance', {
    summary: 'Get what maintenance windows permit on a device now',
    access: can('devices:read'),
    input: z.object({ id: id() }),
    output: z.object({ deviceId: id(), activities: z.record(Activity, Verdict) }),
  }),
}
