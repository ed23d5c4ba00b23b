import type { Db } from '@muster/db/database.ts'
import { type Transaction, transactionOf } from '@muster/db/transaction.ts'
import type { z } from 'zod'
import type { EventSubject, EventType } from './event-type.contract.ts'

interface Places {
  readonly partner: {
    readonly orgId?: string | null
    readonly siteId?: string | null
    readonly deviceId?: string | null
  }
  readonly organization: {
    readonly orgId: string
    readonly siteId?: string | null
    readonly deviceId?: string | null
  }
  readonly device: { readonly orgId: string; readonly siteId: string | null; readonly deviceId: string }
}

type Occurrence<Type extends EventType> = Places[Type['subject'] & EventSubject] & {
  readonly partnerId: string
  /** When it happened; now if absent. */
  readonly at?: Date | string
  readonly data: z.input<Type['schema']>
}

/** An event that is not stored yet. */
export interface NewEvent {
  readonly type: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly siteId: string | null
  readonly deviceId: string | null
  readonly at: string | null
  readonly data: string
}

/** An event of a declared type, for `emitAll`. */
export function eventOf<Type extends EventType>(type: Type, occurrence: Occurrence<Type>): NewEvent {
  const { partnerId, orgId = null, siteId = null, deviceId = null, at = null, data } = occurrence
  const time = at instanceof Date ? at.toISOString() : at
  return { type: type.name, partnerId, orgId, siteId, deviceId, at: time, data: JSON.stringify(data) }
}

/** For statements that store events beside other changes. `SELECT` these columns; `at` must not be null. */
export const insertEvents = 'INSERT INTO events (type, partner_id, org_id, site_id, device_id, at, data)'

const store = {
  text: `${insertEvents}
    SELECT type, partner_id, org_id, site_id, device_id, coalesce(at, now()), data
    FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::timestamptz[], $7::jsonb[])
      AS e(type, partner_id, org_id, site_id, device_id, at, data)`,
}

/** Stores events in one statement, in the open transaction. */
export async function emitAll(to: Db | Transaction, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const transaction = 'selectFrom' in to ? transactionOf(to) : to
  const column = <Key extends keyof NewEvent>(key: Key) => events.map((event) => event[key])
  const keys = ['type', 'partnerId', 'orgId', 'siteId', 'deviceId', 'at', 'data'] as const
  await transaction.query({ ...store, values: keys.map(column) })
}

/** Stores an event, in the open transaction. Followers see it after the commit. */
export const emit = <Type extends EventType>(
  to: Db | Transaction,
  type: Type,
  occurrence: Occurrence<Type>,
): Promise<void> => emitAll(to, [eventOf(type, occurrence)])
