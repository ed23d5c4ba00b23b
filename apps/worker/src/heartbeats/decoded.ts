import type { StreamRecord } from '@muster/areas/background/record.ts'
import type { HeartbeatRead } from '@muster/areas/fleet/devices/index.ts'
import { Capabilities } from '@muster/wire/capabilities.ts'
import { id } from '@muster/wire/scalars.ts'
import { SealingKeyStatement } from '@muster/wire/sealing.ts'
import { z } from 'zod'

/* What a decoding thread returns: heartbeats as columns, other records as checked objects. */

const role = z.enum(['agent', 'watchdog'])

/* What gateways report. Frames of agents are declared in packages/wire. */

export const ConnectedBody = z.object({
  agentVersion: z.string().max(64),
  role,
  gen: z.int().min(0),
  certificateExpiresAt: z.number(),
  /** Empty when the gateway reports a connection again. */
  remoteAddress: z.string().max(255),
  /** Absent from gateways that only know version 1. */
  protocol: z.int().min(1).max(255).default(1),
  capabilities: Capabilities.optional(),
  assignmentRevision: z.int().min(0).optional(),
  sealingKey: SealingKeyStatement.optional(),
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

export type ConnectedRecord = Placed & { name: 'connected'; node: string; body: z.output<typeof ConnectedBody> }
export type DisconnectedRecord = Placed & {
  name: 'disconnected'
  node: string
  body: z.output<typeof DisconnectedBody>
}
/** A record that an area stores. */
export type AreaRecord = Placed & StreamRecord

export type OtherRecord = ConnectedRecord | DisconnectedRecord | AreaRecord

/** An invalid record as its own batch, which becomes a dead letter. */
export interface InvalidRecord {
  entry: number
  reason: string
  batch: Uint8Array
}

export interface Decoded extends HeartbeatRead {
  records: number
  deviceCount: number
  others: OtherRecord[]
  invalid: InvalidRecord[]
  /** Entries that are not batches, by their index in the read. */
  broken: { entry: number; reason: string }[]
}
