// The devices of runs.
import { always, type Condition } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { type Expression, type SqlBool, sql } from 'kysely'
import { conditionOf } from '../../../../fleet/devices/index.ts'
import { FilterExpression } from '../../../../fleet/filter-language/filter.contract.ts'
import type { RunDevice } from '../actions/action-kind.ts'

interface Drawn {
  readonly partnerId: string
  readonly orgId: string | null
  readonly conditions: unknown
  /** Null for all that match. */
  readonly deviceIds: readonly string[] | null
}

/**
 * The devices of a run: the named ones, or all of its owner, as far as they are in use and match.
 * @param within which of them the caller sees
 */
export async function drawDevices(
  db: Db,
  { partnerId, orgId, conditions, deviceIds }: Drawn,
  limit: number,
  within: Condition = always,
): Promise<string[]> {
  const filter: Expression<SqlBool> =
    conditions === null ? always : await conditionOf(db, FilterExpression.parse(conditions), { partnerId, orgId })
  const named = deviceIds === null ? always : sql<SqlBool>`devices.id = ANY (${[...deviceIds]}::uuid[])`
  const { rows } = await sql<{ id: string }>`SELECT devices.id FROM devices
      JOIN organizations o ON o.id = devices.org_id AND o.deleted_at IS NULL AND o.status NOT IN ('suspended', 'churned')
      LEFT JOIN device_state AS state ON state.device_id = devices.id
    WHERE devices.partner_id = ${partnerId}::uuid AND (${orgId}::uuid IS NULL OR devices.org_id = ${orgId}::uuid)
      AND devices.lifecycle = 'active' AND ${named} AND ${filter} AND ${within}
    ORDER BY devices.id LIMIT ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

interface Row {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string
  readonly siteId: string | null
  readonly hostname: string
  readonly isOnline: boolean
  readonly displayName: string | null
  readonly osType: string | null
  readonly osName: string | null
  readonly osVersion: string | null
  readonly architecture: string | null
  readonly agentVersion: string | null
  readonly tags: readonly string[]
  readonly custom: Readonly<Record<string, unknown>>
  readonly organization: string
  readonly site: string | null
}

/** What templates and actions take of devices. */
export async function devicesById(db: Db, ids: readonly string[]): Promise<Map<string, RunDevice>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Row>`SELECT d.id, d.partner_id, d.org_id, d.site_id, d.hostname,
      coalesce(state.status = 'online', false) AS is_online, d.display_name, d.os_type, d.os_name, d.os_version, d.architecture,
      d.agent_version, d.tags, d.custom_fields AS custom, o.name AS organization, s.name AS site
    FROM devices d JOIN organizations o ON o.id = d.org_id LEFT JOIN sites s ON s.id = d.site_id
      LEFT JOIN device_state state ON state.device_id = d.id
    WHERE d.id = ANY (${[...ids]}::uuid[])`.execute(db)
  return new Map(
    rows.map(({ partnerId, orgId, siteId, isOnline, ...fields }) => {
      const { id, hostname, osType } = fields
      return [id, { id, partnerId, orgId, siteId, hostname, isOnline, osType, fields }]
    }),
  )
}
