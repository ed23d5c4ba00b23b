import { can, get, id, page, pageOf, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** Why a device does not run the version of the rollout; null if nothing holds it back. */
export const UpdateHold = z.enum([
  'stopped',
  'no_rollout',
  'rollout_paused',
  'rollout_halted',
  'up_to_date',
  'no_executable',
  'auto_update_off',
  'pinned',
  'not_reached_yet',
  'maintenance',
  'offline',
  'barred',
  'refused',
  'rolled_back',
  'in_progress',
  'offered',
  'unknown',
])

export const DeviceUpdate = z.object({
  deviceId: id(),
  orgId: id(),
  hostname: z.string(),
  agentVersion: z.string().nullable(),
  autoUpdate: z.boolean(),
  /** The version of the current rollout. */
  target: z.string().nullable(),
  hold: UpdateHold,
  /** What to do about it, or what to wait for. */
  why: z.string(),
  /** The last offer and the report of the device about it. */
  version: z.string().nullable(),
  state: z.string().nullable(),
  reason: z.string().nullable(),
  error: z.string().nullable(),
  fromVersion: z.string().nullable(),
  barred: z.array(z.string()),
  offers: z.number(),
  offeredAt: time().nullable(),
  nextOfferAt: time().nullable(),
  reportedAt: time().nullable(),
})
export type DeviceUpdate = z.infer<typeof DeviceUpdate>
export type UpdateHold = z.infer<typeof UpdateHold>

export const updates = {
  get: get('/devices/:id/agent-update', {
    summary: 'Get the update status of a device and why it does not run the version of the rollout',
    access: can('devices:read'),
    input: z.object({ id: id() }),
    output: DeviceUpdate,
  }),
  stuck: get('/agent-updates/stuck', {
    summary: 'List devices that refused or rolled back a version, or did not take repeated offers',
    access: can('devices:read'),
    input: z.object({ ...page, orgId: id().optional() }),
    output: pageOf(DeviceUpdate),
  }),
}
