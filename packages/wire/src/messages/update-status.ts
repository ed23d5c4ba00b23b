import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { id, text } from '../scalars.ts'

/** The states of an update. The last three are final. */
export const updateStates = [
  'downloading',
  'verifying',
  'installing',
  'restarting',
  'confirmed',
  'rolled_back',
  'refused',
] as const
/** @public for authors of agents */
export type UpdateState = (typeof updateStates)[number]

/**
 * Why an update was refused or rolled back, for programs. Readers accept any other reason as well, so that newer agents
 * can add reasons.
 */
export const updateReasons = [
  'auto_update_off',
  'barred',
  'not_newer',
  'wrong_target',
  'cannot_replace_itself',
  'expired_offer',
  'download_failed',
  'size_mismatch',
  'hash_mismatch',
  'untrusted',
  'metadata_expired',
  'disk_full',
  'file_locked',
  'install_failed',
  'did_not_start',
  'did_not_connect',
  'no_heartbeat',
  'order_refused',
] as const
/** @public for authors of agents */
export type UpdateReason = (typeof updateReasons)[number]

export const UpdateStatus = z.object({
  version: text(64).min(1),
  state: z.enum(updateStates),
  /** A message for people. */
  error: text(2000).optional(),
  /** Of `refused` and `rolled_back`, or of a step that is retried: one of `updateReasons`. */
  reason: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/)
    .optional(),
  /** As in the offer. */
  rolloutId: id.optional(),
  /** The version that the agent ran before, or runs again after a rollback. */
  fromVersion: text(64).min(1).optional(),
  /** All versions that this machine will not try again. Absent: unchanged since the last message. */
  barred: z.array(text(64).min(1)).max(50).optional(),
})
export type UpdateStatus = z.infer<typeof UpdateStatus>

export const updateStatus = defineMessage({
  name: 'updateStatus',
  type: 37,
  meaning: 'The progress of an update of the agent.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: UpdateStatus,
})
