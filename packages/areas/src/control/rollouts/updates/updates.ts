import type { Db } from '@muster/db/database.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import { notFound } from '@muster/kit/errors.ts'
import { type RawBuilder, sql } from 'kysely'
import { place, visibleDevices } from '../../../fleet/devices/index.ts'
import { type Call, implement } from '../../../operation.ts'
import { reachesNothing } from '../../../tenancy/tenancy/index.ts'
import { heldBack } from '../../maintenance/index.ts'
import { isBuilt, pinOf, runsOlder } from '../fleet.sql.ts'
import { reachPlaces } from '../rollouts.rules.ts'
import { isWithheld } from '../withheld.ts'
import { updates as contract, type DeviceUpdate } from './updates.contract.ts'
import { holdOf, holdWords, type Situation } from './updates.rules.ts'

/** A device that does not run the version after this many offers needs help. */
const offersUntilStuck = 5

interface GoingOut {
  readonly id: string
  readonly version: string
  readonly state: 'running' | 'paused' | 'halted'
  readonly stages: number[]
  readonly stage: number
}

export default implement(contract, {
  async get({ caller, input, db, services }) {
    const { query, shown } = await updatesOf({ db, caller, services }, sql`devices.id = ${input.id}`)
    const [found] = await query.execute()
    if (found === undefined) throw notFound('Device')
    return shown(found)
  },

  async stuck({ caller, input: { page, limit, orgId }, db, services }) {
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const inOrg = orgId === undefined ? sql`true` : sql`devices.org_id = ${orgId}`
    const isStuck = sql`${inOrg} AND devices.lifecycle = 'active' AND devices.agent_version IS DISTINCT FROM updates.version
      AND (updates.state IN ('rolled_back', 'refused') OR updates.offers >= ${offersUntilStuck})`
    const { query, shown } = await updatesOf({ db, caller, services }, isStuck)
    const { data, pagination } = await paged(query, { page, limit })
    return { data: data.map(shown), pagination }
  },
})

async function goingOut(db: Db): Promise<GoingOut | null> {
  const { rows } = await sql<GoingOut>`
    SELECT id, version, state, stages, stage FROM agent_rollouts WHERE state IN ('running', 'paused', 'halted')`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Devices in reach that meet the condition, each with the reason why its update is held back. */
async function updatesOf(
  { db, caller, services }: Pick<Call, 'db' | 'caller' | 'services'>,
  condition: RawBuilder<unknown>,
) {
  const out = await goingOut(db)
  const version = out?.version ?? ''
  const withheld = await isWithheld(services.redis)
  const { stopped } = await db.selectFrom('agentUpdateStop').select('stopped').executeTakeFirstOrThrow()
  const query = db
    .selectFrom('devices')
    .leftJoin('deviceUpdates as updates', 'updates.deviceId', 'devices.id')
    .leftJoin('deviceState as state', 'state.deviceId', 'devices.id')
    .where(visibleDevices(caller))
    .where(() => sql<boolean>`(${condition})`)
    .select([
      'devices.id as deviceId',
      'devices.orgId',
      'devices.hostname',
      'devices.agentVersion',
      'devices.autoUpdate',
      'updates.version',
      'updates.state',
      'updates.reason',
      'updates.error',
      'updates.fromVersion',
      'updates.offeredAt',
      'updates.nextOfferAt',
      'updates.reportedAt',
      sql<string[]>`coalesce(updates.barred, '{}')`.as('barred'),
      sql<number>`coalesce(updates.offers, 0)`.as('offers'),
      sql<boolean>`coalesce(${runsOlder(version)}, false)`.as('isOlder'),
      isBuilt(version).as('isBuilt'),
      sql<boolean>`EXISTS (SELECT FROM ${pinOf} pinned WHERE pinned.version IS DISTINCT FROM ${version})`.as(
        'isPinned',
      ),
      sql<boolean>`${place(version)} < ${out === null ? 0 : reachPlaces(out)}`.as('isReached'),
      sql<boolean>`${heldBack('agentUpdates')}`.as('isInMaintenance'),
      sql<boolean>`coalesce(state.status, 'offline') <> 'offline'`.as('isOnline'),
      sql<boolean>`coalesce(${version} = ANY (updates.barred), false)`.as('isBarred'),
    ])
    .orderBy('devices.hostname')
    .orderBy('devices.id')
  const shown = ({
    isOlder,
    isBuilt,
    isPinned,
    isReached,
    isInMaintenance,
    isOnline,
    isBarred,
    ...row
  }: Awaited<ReturnType<typeof query.execute>>[number]): DeviceUpdate => {
    const state = row.version === version ? row.state : null
    const { autoUpdate } = row
    const facts: Situation = {
      withheld,
      stopped,
      rolloutState: out?.state ?? null,
      isOlder,
      isBuilt,
      autoUpdate,
      isPinned,
      isReached,
      isInMaintenance,
      isOnline,
      isBarred,
      state,
    }
    const hold = holdOf(facts)
    const said = state === null || row.error === null ? '' : `: ${row.error}`
    return { ...row, target: out?.version ?? null, hold, why: `${holdWords[hold]}${said}` }
  }
  return { query, shown }
}
