import type { HeartbeatColumns } from '@muster/wire/heartbeat-columns.ts'
import type { Inventory } from '@muster/wire/messages/inventory.ts'
import type { Progress } from '@muster/wire/messages/progress.ts'
import type { OrderRefusal } from '@muster/wire/messages/refusal.ts'
import type { Result } from '@muster/wire/messages/result.ts'
import type { UpdateStatus } from '@muster/wire/messages/update-status.ts'
import type { WatchdogKey } from '@muster/wire/messages/watchdog-key.ts'
import type { WatchdogStatus } from '@muster/wire/messages/watchdog-status.ts'
import { id } from '@muster/wire/scalars.ts'
import { z } from 'zod'

/* What a decoding thread hands back: heartbeats as columns, everything else as a few checked objects. */

const role = z.enum(['agent', 'watchdog'])

export const ConnectedBody = z.object({
  agentVersion: z.string().max(64),
  role,
  gen: z.int().min(0),
  certificateExpiresAt: z.number(),
  remoteAddress: z.string().max(255),
  /** Nodes from before there was a second version do not say it. */
  protocol: z.int().min(1).max(255).default(1),
})
export const DisconnectedBody = z.object({ role, code: z.int(), returnsWithinMs: z.int().min(0).optional() })
export const SentBody = z.object({ commandId: id })
export const RefusedBody = z.object({ commandId: id, reason: z.string() })

interface Placed {
  /** Index into the distinct devices of the read. */
  device: number
  /** Position among all records of the read. */
  order: number
  bootId: number
  sequence: number
  atMs: number
}

export type ConnectedRecord = Placed & { kind: 'connected'; node: string; body: z.output<typeof ConnectedBody> }
export type DisconnectedRecord = Placed & {
  kind: 'disconnected'
  node: string
  body: z.output<typeof DisconnectedBody>
}
export type CommandRecord = Placed &
  (
    | { kind: 'sent'; body: z.output<typeof SentBody> }
    | { kind: 'refused'; body: z.output<typeof RefusedBody> }
    | { kind: 'progress'; body: Progress }
    | { kind: 'result'; body: Result }
  )
export type InventoryRecord = Placed & { kind: 'inventory'; body: Inventory }
export type UpdateStatusRecord = Placed & { kind: 'updateStatus'; body: UpdateStatus }

export type WatchdogStatusRecord = Placed & { kind: 'watchdogStatus'; body: WatchdogStatus }
export type WatchdogKeyRecord = Placed & { kind: 'watchdogKey'; body: WatchdogKey }

export type OrderRefusalRecord = Placed & { kind: 'refusal'; body: OrderRefusal }

export type OtherRecord =
  | ConnectedRecord
  | DisconnectedRecord
  | CommandRecord
  | InventoryRecord
  | UpdateStatusRecord
  | WatchdogStatusRecord
  | WatchdogKeyRecord
  | OrderRefusalRecord

/** A record with the UUID of its device. */
export interface Owned<R> {
  deviceId: string
  record: R
}

/** Heartbeats in the order of the stream, one column per property; `order` is their place among all records. */
export interface Heartbeats {
  count: number
  device: Uint32Array
  order: Uint32Array
  bootId: Float64Array
  sequence: Float64Array
  atMs: Float64Array
  figures: HeartbeatColumns
}

/** A record that means nothing, as a batch of its own, so that it can be set aside and given back. */
export interface InvalidRecord {
  entry: number
  reason: string
  batch: Uint8Array
}

export interface Decoded {
  records: number
  /** Sixteen bytes per distinct device. */
  devices: Uint8Array
  deviceCount: number
  heartbeats: Heartbeats
  others: OtherRecord[]
  invalid: InvalidRecord[]
  /** Entries that are no batches at all, by their index in the read. */
  broken: { entry: number; reason: string }[]
  oldestAtMs: number
}
