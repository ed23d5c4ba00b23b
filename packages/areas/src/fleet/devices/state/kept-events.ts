// Stores events about devices, each with the host name and the place that its device has.
import type { Db } from '@muster/db/database.ts'
import { type Transaction, transactionOf } from '@muster/db/transaction.ts'
import type { z } from 'zod'
import type { EventType } from '../../../platform/events/event-type.contract.ts'
import { insertEvents } from '../../../platform/events/index.ts'
import { deviceChangedEvent } from '../devices-events.contract.ts'

interface KeptEvent {
  readonly type: string
  readonly deviceId: string
  readonly data: object
}

/** An event of a declared type. Its host name is added when it is stored. */
export const aboutDevice = <Type extends EventType<string, 'device'>>(
  type: Type,
  deviceId: string,
  data: Omit<z.input<Type['schema']> & object, 'hostname'>,
): KeptEvent => ({ type: type.name, deviceId, data })

const storeEvents = {
  name: 'store-events-about-devices',
  text: `${insertEvents}
    SELECT u.type, d.partner_id, d.org_id, d.site_id, d.id, now(), u.data || jsonb_build_object('hostname', d.hostname)
    FROM unnest($1::text[], $2::uuid[], $3::jsonb[]) AS u(type, device_id, data) JOIN devices d ON d.id = u.device_id`,
}

/** Stores events about devices in one statement, in the open transaction. */
export async function keepEvents(to: Db | Transaction, events: readonly KeptEvent[]): Promise<void> {
  if (events.length === 0) return
  const transaction = 'selectFrom' in to ? transactionOf(to) : to
  await transaction.query({
    ...storeEvents,
    values: [
      events.map(({ type }) => type),
      events.map(({ deviceId }) => deviceId),
      events.map(({ data }) => JSON.stringify(data)),
    ],
  })
}

/** Stores which properties of devices changed. */
export const keepChanges = (
  to: Db | Transaction,
  deviceIds: readonly string[],
  changed: readonly string[],
): Promise<void> =>
  keepEvents(
    to,
    changed.length === 0 ? [] : deviceIds.map((id) => aboutDevice(deviceChangedEvent, id, { changed: [...changed] })),
  )
