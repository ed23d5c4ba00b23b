import { allOf, always, type Condition, equals } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { type Selectable, sql } from 'kysely'
import { visibleDevices } from '../../fleet/devices/index.ts'
import { mayTarget, readTargets, shownTargets, withTargetsWithinReach } from '../../fleet/targets/index.ts'
import type { Call } from '../../operation.ts'
import { reachesWholePartner, requireOwner, requireWorkingOrganization } from '../../tenancy/tenancy/index.ts'
import { shownStrategy } from './batches/shown-strategy.ts'
import { Strategy } from './batches/strategy.contract.ts'
import { type Counts, Deployment, type DeploymentBatch, DeploymentSummary } from './deployments.contract.ts'
import { gateStates } from './gates/stored-gates.ts'
import { tellChanged } from './live/tell-changed.ts'

export type Row = Selectable<Tables['deployments']>

/** Deployments of organizations within reach, and those of the whole partner, which organizations do not see. */
export const visibleDeployments = (caller: Caller): Condition =>
  allOf(
    withTargetsWithinReach(caller, { org: 'd.orgId', partner: 'd.partnerId', targetSet: 'd.targetSetId' }),
    caller.scope === 'organization' ? equals('d.orgId', caller.orgId) : always,
  )

/** Devices of a deployment within the caller's reach, as a condition on `device`. */
export const visibleDevicesOf = (caller: Caller): Condition =>
  reachesWholePartner(caller)
    ? always
    : sql`device.device_id IN (SELECT devices.id FROM devices WHERE ${visibleDevices(caller)})`

const noCounts: Counts = {
  total: 0,
  pending: 0,
  held: 0,
  queued: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  expired: 0,
}

interface Counted {
  readonly deploymentId: string
  readonly batch: number
  readonly status: Exclude<keyof Counts, 'total'>
  readonly count: number
}

/** The devices of each batch by status. Whether a command runs is read from the command. */
async function countsOf(db: Db, caller: Caller, ids: readonly string[]): Promise<Counted[]> {
  const visible = visibleDevicesOf(caller)
  const [stored, running] = await Promise.all([
    sql<Counted>`SELECT device.deployment_id, device.batch, device.status, count(*) AS count FROM deployment_devices device
      WHERE device.deployment_id = ANY (${[...ids]}::uuid[]) AND ${visible} GROUP BY 1, 2, 3`.execute(db),
    sql<Counted>`SELECT device.deployment_id, device.batch, 'running' AS status, count(*) AS count
      FROM deployment_devices device JOIN device_commands command ON command.id = device.command_id
      WHERE device.deployment_id = ANY (${[...ids]}::uuid[]) AND device.status = 'queued' AND command.status = 'running'
        AND ${visible} GROUP BY 1, 2`.execute(db),
  ])
  return [
    ...stored.rows,
    ...running.rows.flatMap((row): Counted[] => [row, { ...row, status: 'queued', count: -row.count }]),
  ]
}

const sumOf = (counted: readonly Counted[]): Counts => {
  const sum = { ...noCounts }
  for (const { status, count } of counted) {
    sum[status] += count
    sum.total += count
  }
  return sum
}

const summaryOf = (row: Row, counted: readonly Counted[]): DeploymentSummary =>
  DeploymentSummary.parse({
    ...row,
    order: row.ordered,
    batchCount: new Set(counted.map(({ batch }) => batch)).size,
    counts: sumOf(counted),
  })

/** Rows as lists show them. */
export async function summariesOf(db: Db, caller: Caller, rows: readonly Row[]): Promise<DeploymentSummary[]> {
  const ids = rows.map(({ id }) => id)
  const counted = Map.groupBy(await countsOf(db, caller, ids), ({ deploymentId }) => deploymentId)
  return rows.map((row) => summaryOf(row, counted.get(row.id) ?? []))
}

/** @throws NOT_FOUND */
export async function rowById({ db, caller }: Pick<Call, 'db' | 'caller'>, id: string): Promise<Row> {
  const row = await db
    .selectFrom('deployments as d')
    .selectAll('d')
    .where('d.id', '=', id)
    .where(visibleDeployments(caller))
    .executeTakeFirst()
  if (row === undefined) throw notFound('Deployment')
  return row
}

/** @throws NOT_FOUND */
export async function deploymentById(call: Pick<Call, 'db' | 'caller'>, id: string): Promise<Deployment> {
  const { db, caller } = call
  const row = await rowById(call, id)
  const [targets, counted, batches, strategy] = await Promise.all([
    shownTargets(db, caller, [row.targetSetId]),
    countsOf(db, caller, [id]),
    db.selectFrom('deploymentBatches').selectAll().where('deploymentId', '=', id).orderBy('number').execute(),
    shownStrategy(db, caller, Strategy.parse(row.strategy)),
  ])
  const { targets: named = {}, exclude = {} } = targets.get(row.targetSetId) ?? {}
  return Deployment.parse({
    ...summaryOf(row, counted),
    ...{ targets: named, exclude, strategy, batchCount: batches.length },
    batches: batches.map(({ number, devices, beganAt, endedAt, gates }, index): DeploymentBatch => {
      const counts = sumOf(counted.filter(({ batch }) => batch === number))
      const states = index === batches.length - 1 ? [] : gateStates(strategy.gates, gates)
      // A figure of all devices would tell of those that the caller does not see.
      const shown = counts.total < devices ? states.map((state) => ({ ...state, actual: null })) : states
      return { number, devices: counts.total, counts, beganAt, endedAt, gates: shown }
    }),
  })
}

/**
 * The deployment, locked until the transaction ends. Screens hear of it after the commit.
 * @throws NOT_FOUND, FORBIDDEN for callers who may not change it
 */
export async function changeable(
  call: Pick<Call, 'db' | 'caller' | 'services' | 'afterCommit'>,
  id: string,
): Promise<Row> {
  const { db, caller } = call
  const { targetSetId, partnerId, orgId } = await rowById(call, id)
  requireOwner(caller, { orgId }, 'deployment')
  const saved = (await readTargets(db, [targetSetId])).get(targetSetId)
  if (saved === undefined || !(await mayTarget(call, { partnerId, orgId }, saved)))
    throw denied('The deployment concerns devices that you do not reach')
  await requireWorkingOrganization(db, caller, orgId)
  await sql`SELECT FROM deployments WHERE id = ${id}::uuid FOR NO KEY UPDATE`.execute(db)
  const row = await rowById(call, id)
  tellChanged(call, row)
  return row
}

/** The devices of a deployment, as they were when its batches were drawn. */
export const devicesOf = (db: Db, id: string) =>
  db
    .selectFrom('deploymentDevices')
    .select(['deviceId as id', 'orgId', 'partnerId'])
    .where('deploymentId', '=', id)
    .orderBy('place')
    .execute()
