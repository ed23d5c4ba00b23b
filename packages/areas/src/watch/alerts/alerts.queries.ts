import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { z } from 'zod'
import { visibleRows } from '../../fleet/devices/index.ts'
import { shownFilters } from '../../fleet/targets/index.ts'
import type { Reach } from '../../tenancy/tenancy/index.ts'
import type { Alert } from './alerts.contract.ts'
import { asAlert, type StoredAlert } from './lifecycle/stored-alert.ts'
import { filterOf } from './rules/conditions.contract.ts'

/** Alerts that a caller may see: those of its organizations, and for limited members those of their sites and groups. */
export const visibleAlerts = (caller: Reach) => visibleRows(caller, 'alerts', 'alerts.deviceId')

const json = z.json()

/** Maps rows to alerts of the contract. What a rule on a filter asks names no places that the caller does not see. */
export async function shownAlerts(db: Db, caller: Caller, rows: readonly StoredAlert[]): Promise<Alert[]> {
  const onFilters = rows.flatMap(({ id, context }) => {
    const filter = filterOf(context.conditions)
    return filter === null ? [] : [{ id, filter }]
  })
  const filters = await shownFilters(
    db,
    caller,
    onFilters.map(({ filter }) => filter),
  )
  const shown = new Map(onFilters.map(({ id }, index) => [id, { kind: 'filter', filter: json.parse(filters[index]) }]))
  return rows.map((row) => {
    const alert = asAlert(row)
    const conditions = shown.get(row.id)
    return conditions === undefined ? alert : { ...alert, context: { ...alert.context, conditions } }
  })
}

/** One alert, as `shownAlerts` maps it. */
export async function shownAlert(db: Db, caller: Caller, row: StoredAlert): Promise<Alert> {
  const [alert] = await shownAlerts(db, caller, [row])
  if (alert === undefined) throw notFound('Alert')
  return alert
}

/** An alert within reach. @throws NOT_FOUND */
export async function alertById(db: Db, caller: Caller, id: string, lock = false): Promise<StoredAlert> {
  const found = await db
    .selectFrom('alerts')
    .selectAll('alerts')
    .where('alerts.id', '=', id)
    .where(visibleAlerts(caller))
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  if (found === undefined) throw notFound('Alert')
  return found
}
