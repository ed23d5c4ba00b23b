import type { Received, RecordName, RecordStore, Stored } from '@muster/areas/background/record.ts'
import type { WorkerParts } from '@muster/areas/background/worker-parts.ts'
import { storedMessages } from '@muster/wire/up.ts'
import type pg from 'pg'
import type { Plan, RecordStores } from '../heartbeats/fold.ts'
import type { DeviceTable } from '../heartbeats/known-devices.ts'

const recordNames = [...Object.values(storedMessages).map(({ name }) => name), 'sent', 'refused'] as const

/** The store of each record. @throws when a record has no store, or two */
export function recordStores(stores: readonly RecordStore[]): RecordStores {
  const byName = new Map<RecordName, RecordStore>()
  for (const store of stores)
    for (const name of store.names) {
      if (byName.has(name)) throw new Error(`Two areas store ${name}`)
      byName.set(name, store)
    }
  const missing = recordNames.filter((name) => !byName.has(name))
  if (missing.length > 0) throw new Error(`No area stores ${missing.join(', ')}`)
  return byName
}

/** Stores the records of reads in the given order of stores. */
export async function storeRecords(
  client: pg.PoolClient,
  stores: RecordStores,
  reads: readonly { readonly plan: Plan; readonly devices: DeviceTable }[],
  parts: WorkerParts,
): Promise<Stored[]> {
  const stored: Stored[] = []
  for (const store of new Set(stores.values())) {
    const received = reads.flatMap(({ plan, devices }) =>
      (plan.records.get(store) ?? []).map((record): Received => ({ ...record, deviceId: devices.id(record.device) })),
    )
    if (received.length > 0) stored.push(await store.store(client, received, parts))
  }
  return stored
}
