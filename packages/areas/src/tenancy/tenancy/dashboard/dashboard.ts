import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { type RawBuilder, sql } from 'kysely'
import { implement } from '../../../operation.ts'
import { inSavedOrder, reachableOrganizations, savedOrder } from '../organizations/organizations.queries.ts'
import { reachesNothing } from '../reach.ts'
import { dashboard as contract } from './dashboard.contract.ts'

export default implement(contract, {
  async get({ caller, db, services }) {
    const partner = await db
      .selectFrom('partners')
      .select(['id', 'name', 'plan', 'maxOrganizations', 'maxDevices'])
      .where('id', '=', caller.partnerId ?? '')
      .executeTakeFirst()
    if (partner === undefined) throw notFound('Partner')
    const organizations = reachesNothing(caller) ? [] : await organizationsOf(db, caller)
    const ids = organizations.map(({ id }) => id)
    const sum = (of: (one: OrganizationRow) => number) => organizations.reduce((total, one) => total + of(one), 0)
    return {
      partner,
      totals: {
        organizations: organizations.length,
        sites: sum(({ sites }) => sites),
        users: await peopleOf(db, caller, ids),
        pendingCommands: await pendingCommands(db, ids),
        devices: {
          total: sum(({ devices }) => devices.total),
          online: sum(({ devices }) => devices.online),
          offline: sum(({ devices }) => devices.offline),
          updating: sum(({ devices }) => devices.updating),
          provisioned: sum(({ devices }) => devices.provisioned),
          quarantined: sum(({ devices }) => devices.quarantined),
        },
      },
      organizations,
      agentVersions: await kindsOf(db, ids, sql`coalesce(d.agent_version, 'unknown')`),
      operatingSystems: await kindsOf(db, ids, sql`coalesce(d.os_type, 'unknown')`),
      at: new Date(services.clock.now()).toISOString(),
    }
  },
})

interface Health {
  readonly total: number
  readonly online: number
  readonly offline: number
  readonly updating: number
  readonly provisioned: number
  readonly quarantined: number
}
interface OrganizationRow {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly maxDevices: number | null
  readonly sites: number
  readonly devices: Health
  readonly lastSeenAt: string | null
}

async function organizationsOf(db: Db, caller: Caller): Promise<OrganizationRow[]> {
  const order = await savedOrder(db, caller.partnerId)
  const found = await inSavedOrder(reachableOrganizations(db, caller), order)
    .select(['organizations.id', 'organizations.name', 'organizations.status', 'organizations.maxDevices'])
    .execute()
  const ids = found.map(({ id }) => id)
  const { rows: health } = await sql<Health & { orgId: string; lastSeenAt: string | null }>`
    SELECT d.org_id, count(*) AS total,
      count(*) FILTER (WHERE d.lifecycle = 'active' AND s.status = 'online') AS online,
      count(*) FILTER (WHERE d.lifecycle = 'active' AND s.status = 'updating') AS updating,
      count(*) FILTER (WHERE d.lifecycle = 'active' AND (s.status IS NULL OR s.status = 'offline')) AS offline,
      count(*) FILTER (WHERE d.lifecycle = 'provisioned') AS provisioned,
      count(*) FILTER (WHERE d.lifecycle = 'quarantined') AS quarantined, max(s.last_seen_at) AS last_seen_at
    FROM devices d LEFT JOIN device_state s ON s.device_id = d.id
    WHERE d.org_id = ANY (${ids}::uuid[]) AND d.lifecycle <> 'decommissioned' GROUP BY d.org_id`.execute(db)
  const { rows: sites } = await sql<{ orgId: string; count: number }>`
    SELECT org_id, count(*) AS count FROM sites WHERE org_id = ANY (${ids}::uuid[]) GROUP BY org_id`.execute(db)
  const healthOf = new Map(health.map(({ orgId, ...its }) => [orgId, its]))
  const sitesOf = new Map(sites.map(({ orgId, count }) => [orgId, count]))
  return found.map((organization) => {
    const { lastSeenAt = null, ...devices } = healthOf.get(organization.id) ?? {
      total: 0,
      online: 0,
      offline: 0,
      updating: 0,
      provisioned: 0,
      quarantined: 0,
    }
    return { ...organization, sites: sitesOf.get(organization.id) ?? 0, devices, lastSeenAt }
  })
}

async function countOf(db: Db, query: RawBuilder<{ count: number }>): Promise<number> {
  const { rows } = await query.execute(db)
  return rows[0]?.count ?? 0
}

/** Members of the partner and of the organizations within reach, each user once. */
const peopleOf = (db: Db, caller: Caller, orgIds: readonly string[]) =>
  countOf(
    db,
    sql`SELECT count(*) AS count FROM (SELECT user_id FROM partner_users WHERE partner_id = ${caller.partnerId}
      UNION SELECT user_id FROM organization_users WHERE org_id = ANY (${[...orgIds]}::uuid[])) people`,
  )

const pendingCommands = (db: Db, orgIds: readonly string[]) =>
  countOf(
    db,
    sql`SELECT count(*) AS count FROM device_commands
      WHERE status IN ('pending', 'sent', 'running') AND org_id = ANY (${[...orgIds]}::uuid[])`,
  )

async function kindsOf(db: Db, orgIds: readonly string[], kind: RawBuilder<unknown>) {
  const { rows } = await sql<{ name: string; count: number }>`
    SELECT ${kind} AS name, count(*) AS count FROM devices d
    WHERE d.org_id = ANY (${[...orgIds]}::uuid[]) AND d.lifecycle <> 'decommissioned'
    GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20`.execute(db)
  return rows
}
