import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import type { Expression, SqlBool } from 'kysely'
import type { Device } from '../devices/devices.contract.ts'
import { asDevice, deviceColumns, stateColumns, visibleDevices } from '../devices/index.ts'

/** The number of visible devices that meet a condition, and the first of them by host name. */
export async function previewOf(
  db: Db,
  caller: Caller,
  condition: Expression<SqlBool>,
  { orgId, limit, nowMs }: { orgId?: string | undefined; limit: number; nowMs: number },
): Promise<{ total: number; devices: Device[]; limit: number }> {
  const matching = db
    .selectFrom('devices')
    .leftJoin('deviceState as state', 'state.deviceId', 'devices.id')
    .where(visibleDevices(caller))
    .where('devices.lifecycle', '<>', 'decommissioned')
    .where(condition)
    .$if(orgId !== undefined, (query) => query.where('devices.orgId', '=', orgId ?? ''))
  const [rows, { total }] = await Promise.all([
    matching
      .select(deviceColumns)
      .select(stateColumns)
      .orderBy('devices.hostname')
      .orderBy('devices.id')
      .limit(limit)
      .execute(),
    matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { total, devices: rows.map((row) => asDevice(row, nowMs)), limit }
}
