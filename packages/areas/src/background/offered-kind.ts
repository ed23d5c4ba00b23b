// A kind of orders that deployments offer to devices again and again, instead of sending a command once.
import type { Redis } from '@muster/backplane/redis.ts'
import type { Db } from '@muster/db/database.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { z } from 'zod'
import type { LeftDevice, Ordering } from './ordering.ts'

/** What devices are offered. It is stored when the deployment starts. */
export const OfferedWork = z.strictObject({ agentVersion: z.string() })
export type OfferedWork = z.infer<typeof OfferedWork>

/** What a strategy and its batches say that a kind may limit. */
export interface Rings {
  readonly soakSeconds: number
  readonly maxErrors: { readonly percent: number } | { readonly count: number }
  /** The number of devices of each batch; empty before they are drawn. */
  readonly batches: readonly number[]
}

/** What a worker gives to a kind that makes offers. */
interface OfferParts {
  readonly redis: Redis
  readonly keyring: Keyring
  readonly settings: { readonly publicUrl: string }
}

export interface Offering {
  readonly deploymentId: string
  readonly work: OfferedWork
  readonly deviceIds: readonly string[]
  readonly respectMaintenance: boolean
}

export interface Offered {
  readonly deviceIds: readonly string[]
  readonly left: readonly LeftDevice[]
  /** Nothing is offered to any device for the time being. */
  readonly stop: 'updates_stopped' | null
  /** Sends the offers. If it does not run, they are repeated some minutes later. */
  readonly afterCommit: () => Promise<void>
}

/** What became of a device that was offered the order. `held`: it did not take the offer, which is repeated. */
export interface OfferEnd {
  readonly deviceId: string
  readonly outcome: 'succeeded' | 'failed' | 'held'
  readonly reason: string | null
  readonly error: string | null
  /** When a held device is offered the order again. */
  readonly notBefore: string | null
}

interface Declared<Order extends { readonly kind: string }> {
  readonly kind: Order['kind']
  readonly order: z.ZodType<Order>
  /** What the person must hold, and the owner as long as it runs, beside the permission for deployments. */
  permissions(order: Order): readonly Permission[]
  /** @throws VALIDATION_ERROR naming the field that is wrong, FORBIDDEN */
  prepare(by: Ordering, order: Order): Promise<OfferedWork>
  /** @throws VALIDATION_ERROR naming the field of the strategy that is too bold */
  requireRings(rings: Rings): void
  /** Deployments with the same key begin with the same devices. */
  drawKey(db: Db, order: Order): Promise<string>
  /** Offers the order, in the transaction of the turn. */
  offer(db: Db, parts: OfferParts, offering: Offering): Promise<Offered>
  /** The devices of the deployment whose offer ended, among those that are `queued`. */
  endsOf(db: Db, deploymentId: string, work: OfferedWork): Promise<readonly OfferEnd[]>
}

/** A kind for orders that are read from the database. Only system administrators start it, with a fresh proof. */
export interface OfferedKind
  extends Pick<Declared<{ readonly kind: string }>, 'kind' | 'requireRings' | 'offer' | 'endsOf'> {
  readonly by: 'offers'
  permissions(order: unknown): readonly Permission[]
  prepare(by: Ordering, order: unknown): Promise<OfferedWork>
  drawKey(db: Db, order: unknown): Promise<string>
}

export const offeredKind = <Order extends { readonly kind: string }>(declared: Declared<Order>): OfferedKind => ({
  ...declared,
  by: 'offers',
  permissions: (order) => declared.permissions(declared.order.parse(order)),
  prepare: (by, order) => declared.prepare(by, declared.order.parse(order)),
  drawKey: (db, order) => declared.drawKey(db, declared.order.parse(order)),
})
