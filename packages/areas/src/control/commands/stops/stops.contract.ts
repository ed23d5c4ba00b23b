import { can, get, id, personCan, post, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

export const CommandStop = z.object({
  /** Null for all partners of the installation. */
  partnerId: id().nullable(),
  /** Who set it, and so who can lift it: the partner itself, or the operator of the installation. */
  byScope: z.enum(['partner', 'system']),
  reason: z.string(),
  /** Absent for users of the operator. */
  byUser: id().nullable(),
  at: time(),
})
export type CommandStop = z.infer<typeof CommandStop>

const State = z.object({
  /** Whether commands of the caller's partner are stopped; for system scope, those of the whole installation. */
  stopped: z.boolean(),
  stops: z.array(CommandStop),
})
/** For system scope: the partner. Users of a partner always stop their own partner. */
const partnerId = id().optional()

/** The emergency stop: no command reaches a device, interactive or queued, within five seconds. */
export const stops = {
  get: get('/commands/stop', {
    summary: 'Get whether commands are stopped, by whom and why',
    access: can('devices:read'),
    input: z.object({}),
    output: State,
  }),
  set: post('/commands/stop', {
    summary:
      'Stop all commands. Pending commands stay pending; new commands and system tools are refused. Partner scope ' +
      'stops the commands of its partner; system scope those of `partnerId`, or with `confirm: installation` all',
    access: can('devices:execute', 'partner', 'system'),
    audit: 'device.command.stop',
    hiddenAs: 403,
    input: z.object({
      reason: z.string().trim().min(1).max(500),
      partnerId,
      confirm: z.string().max(100).optional(),
    }),
    output: State,
  }),
  lift: post('/commands/allow', {
    summary: 'Lift a stop. Pending commands that have not expired are sent',
    access: personCan('devices:execute', 'partner', 'system'),
    audit: 'device.command.allow',
    hiddenAs: 403,
    stepUp: 'always',
    input: z.object({ partnerId }),
    output: State,
  }),
}
