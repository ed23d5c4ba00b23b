import type { Db } from '@muster/db/database.ts'
import { shaped } from '@muster/db/shaped.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import {
  type Reach,
  type ReachShape,
  type ReachValues,
  reachFrom,
  reachShape,
  reachValues,
} from '../../tenancy/tenancy/index.ts'
import type { DeviceDetail } from './devices.contract.ts'
import { asDevice, deviceColumns, stateColumns, visible, visibleWithState } from './devices.queries.ts'
import { summaryOf } from './inventory/inventory-summary.ts'
import { shownInventory } from './inventory/inventory-times.ts'
import { capabilitiesOf } from './state/capabilities.rules.ts'

/** Formats a time as text inside JSON, in the form of all other times. */
const moment = (column: string) => sql`to_char(${sql.ref(column)} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

// One JSON value, so that a device without an inventory has null instead of an object of nulls.
const inventory = sql<DeviceDetail['inventory']>`CASE WHEN found.device_id IS NOT NULL THEN json_build_object(
  'hash', found.hash, 'collectedAt', ${moment('found.collectedAt')}, 'hardware', found.hardware, 'disks', found.disks,
  'network', found.network, 'software', found.software, 'services', found.services, 'users', found.users,
  'system', found.system) END`

/** Its possible duplicates, as far as the caller may see them. */
function twinsOf(db: Db, reach: Reach, id: string) {
  const twins = visible(db, reach)
    .innerJoin('deviceDuplicates as pair', 'pair.twinId', 'devices.id')
    .where('pair.deviceId', '=', id)
    .where('pair.dismissedAt', 'is', null)
    .select(
      sql`json_agg(json_build_object('deviceId', devices.id, 'hostname', devices.hostname, 'noticedAt', ${moment('pair.noticedAt')})
        ORDER BY pair.noticed_at)`.as('twins'),
    )
  return sql<DeviceDetail['possibleDuplicates']>`coalesce((${twins}), '[]')`
}

const detailOfDevice = shaped((db, shape: ReachShape, values: ReachValues & { readonly id: string }) =>
  visibleWithState(db, reachFrom(shape, values))
    .leftJoin('deviceInventory as found', 'found.deviceId', 'devices.id')
    .where('devices.id', '=', values.id)
    .select(deviceColumns)
    .select(stateColumns)
    .select(['devices.kernelVersion', 'devices.machineId', 'devices.decommissionedAt', 'devices.customFields'])
    .select(['devices.quarantinedAt', 'devices.quarantineReason', 'devices.capabilities'])
    .select(['state.statusAt', 'state.networkRxBytes', 'state.networkTxBytes', 'state.processCount'])
    .select(sql<number | null>`state.load_1m`.as('load1m'))
    .select('state.watchdogSeenAt')
    .select(inventory.as('inventory'))
    .select(twinsOf(db, reachFrom(shape, values), values.id).as('possibleDuplicates')),
)

/** All details of a device, in one statement. @throws NOT_FOUND */
export async function deviceDetail(db: Db, caller: Caller, id: string, nowMs: number): Promise<DeviceDetail> {
  const [row] = await detailOfDevice(db, reachShape(caller), { ...reachValues(caller), id })
  if (row === undefined) throw notFound('Device')
  const inventory = row.inventory && shownInventory(row.inventory)
  return { ...asDevice(row, nowMs), ...summaryOf(row), inventory, capabilities: capabilitiesOf(row) }
}
