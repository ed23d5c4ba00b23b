import type { Db } from '@muster/db/database.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { unseal } from '@muster/kit/secrets/sealed.ts'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { visibleRows } from '../../fleet/devices/index.ts'
import type { Call } from '../../operation.ts'
import { requireWorkingOrganization } from '../../tenancy/tenancy/index.ts'
import { Secrets } from './checks/config.ts'
import type { Monitor } from './monitors.contract.ts'

export type StoredMonitor = Selectable<Tables['monitors']>

/** Monitors of organizations within reach. Members limited to sites see those of their sites, members limited to groups none. */
export const visibleMonitors = (caller: Caller) => visibleRows(caller, 'monitors', null)

/** A monitor within reach. @throws NOT_FOUND */
export async function monitorById(db: Db, caller: Caller, id: string, lock = false): Promise<StoredMonitor> {
  const found = await db
    .selectFrom('monitors')
    .selectAll('monitors')
    .where('monitors.id', '=', id)
    .where(visibleMonitors(caller))
    .$if(lock, (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  if (found === undefined) throw notFound('Monitor')
  return found
}

/** A monitor that the caller may change, locked until the transaction ends. */
export async function changeableMonitor(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  id: string,
): Promise<StoredMonitor> {
  const monitor = await monitorById(db, caller, id, true)
  await requireWorkingOrganization(db, caller, monitor.orgId)
  return monitor
}

export const sealedFor = (monitorId: string): string => `monitor ${monitorId}`

export function secretsOf(keyring: Keyring, { id, secrets }: Pick<StoredMonitor, 'id' | 'secrets'>): Secrets {
  return secrets === null ? {} : Secrets.parse(JSON.parse(unseal(keyring, secrets, sealedFor(id))))
}

interface Uptimes {
  readonly uptime24h: number | null
  readonly uptime7d: number | null
  readonly uptime30d: number | null
}

const unknownUptimes: Uptimes = { uptime24h: null, uptime7d: null, uptime30d: null }

const daySeconds = 86_400
const windows = { uptime24h: daySeconds, uptime7d: 7 * daySeconds, uptime30d: 30 * daySeconds } as const

/** Percent of the known time of each window in which `spans` were online or degraded. */
const uptimeColumns = sql.raw(
  Object.entries(windows)
    .map(([name, length]) => {
      const seconds = `greatest(0, ends - greatest(begins, now - ${length}))`
      const up = `coalesce(sum(${seconds}) FILTER (WHERE is_up), 0)`
      return `round((100 * ${up} / nullif(sum(${seconds}), 0))::numeric, 3)::float8 AS "${name}"`
    })
    .join(', '),
)

/** The spans with a known status of the last month. OFFSET 0: each time is converted once, not once for each window. */
const spansOf = (monitors: RawBuilder<unknown>) => sql`(
  SELECT s.monitor_id, s.status <> 'offline' AS is_up, date_part('epoch', now()) AS now, date_part('epoch', s.began_at) AS begins,
    date_part('epoch', coalesce(s.ended_at, now())) AS ends
  FROM monitor_spans s
  WHERE s.monitor_id ${monitors} AND s.status IN ('online', 'degraded', 'offline')
    AND (s.ended_at IS NULL OR s.ended_at > now() - interval '30 days') OFFSET 0) spans`

/** The uptimes of monitors together. */
export async function uptimesTogether(db: Db, monitors: RawBuilder<unknown>): Promise<Uptimes> {
  const { rows } = await sql<Uptimes>`SELECT ${uptimeColumns} FROM ${spansOf(monitors)}`.execute(db)
  return rows[0] ?? unknownUptimes
}

/** Maps rows to monitors of the contract, with their probes and uptimes. */
export async function asMonitors(db: Db, rows: readonly StoredMonitor[]): Promise<Monitor[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const [uptimes, probes] = await Promise.all([
    sql<Uptimes & { id: string }>`SELECT monitor_id AS id, ${uptimeColumns}
      FROM ${spansOf(sql`= ANY (${ids}::uuid[])`)} GROUP BY monitor_id`.execute(db),
    sql<{ id: string; devices: string[] }>`SELECT monitor_id AS id, array_agg(device_id ORDER BY device_id) AS devices
      FROM monitor_probes WHERE monitor_id = ANY (${ids}::uuid[]) AND unable_until IS NULL GROUP BY monitor_id`.execute(
      db,
    ),
  ])
  const uptimeOf = new Map(uptimes.rows.map(({ id, ...each }) => [id, each]))
  const devicesOf = new Map(probes.rows.map(({ id, devices }) => [id, devices]))
  return rows.map(({ secrets: _, createdBy: __, wantsProbes: ___, ...row }) => ({
    ...row,
    ...(uptimeOf.get(row.id) ?? unknownUptimes),
    assignedDeviceIds: devicesOf.get(row.id) ?? [],
  }))
}
