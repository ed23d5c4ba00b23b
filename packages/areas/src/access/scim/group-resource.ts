// The roles of the organization as SCIM groups.
import type { Db } from '@muster/db/database.ts'
import { type RawBuilder, sql } from 'kysely'
import type { ScimProvider } from '../sso/index.ts'
import type { Filter } from './filter.rules.ts'
import { type Columns, compileFilter } from './filter.sql.ts'
import { groupSchema } from './messages.rules.ts'
import { asScimError, isId } from './provider-call.ts'
import type { Slice } from './user-resource.ts'

export interface GroupRow {
  readonly id: string
  readonly name: string
  readonly externalId: string | null
  readonly madeHere: boolean
  readonly createdAt: string
  readonly updatedAt: string
}
interface GroupMember {
  readonly id: string
  readonly name: string
}

const isMember = (value: RawBuilder<unknown>, { id, orgId }: ScimProvider) => sql`(EXISTS (
    SELECT FROM organization_users m WHERE m.org_id = ${orgId} AND m.role_id = r.id AND m.user_id = ${value})
  OR EXISTS (SELECT FROM scim_group_members m WHERE m.provider_id = ${id} AND m.role_id = r.id AND m.user_id = ${value}))`

function columnsFor(provider: ScimProvider): Columns {
  const members = {
    kind: 'among',
    has(value: string) {
      return isId(value) ? isMember(sql`${value}::uuid`, provider) : sql`false`
    },
  } as const
  return {
    id: { kind: 'text', is: sql`r.id` },
    displayname: { kind: 'text', is: sql`r.name` },
    externalid: { kind: 'exact', is: sql`g.external_id` },
    members,
    'members.value': members,
    'meta.created': { kind: 'time', is: sql`r.created_at` },
    'meta.lastmodified': { kind: 'time', is: sql`greatest(r.updated_at, g.updated_at)` },
  }
}

const source = ({ id, orgId }: ScimProvider, condition: RawBuilder<unknown>) => sql`FROM roles r
  LEFT JOIN scim_groups g ON g.provider_id = ${id} AND g.role_id = r.id
  WHERE ((r.is_system AND r.scope = 'organization') OR r.org_id = ${orgId}) AND ${condition}`
const selected = sql`SELECT r.id, r.name, g.external_id, coalesce(g.made_here, false) AND NOT r.is_system AS made_here,
  r.created_at, greatest(r.updated_at, g.updated_at) AS updated_at`

export async function findGroups(db: Db, provider: ScimProvider, filter: Filter | null, slice: Slice) {
  const condition = filter === null ? sql`true` : asScimError(() => compileFilter(filter, columnsFor(provider)))
  const from = source(provider, condition)
  const { rows: counted } = await sql<{ total: number }>`SELECT count(*) AS total ${from}`.execute(db)
  const { rows } = await sql<GroupRow>`${selected} ${from}
    ORDER BY r.is_system DESC, r.created_at, r.id LIMIT ${slice.count} OFFSET ${slice.startIndex - 1}`.execute(db)
  return { rows, total: counted[0]?.total ?? 0 }
}

export async function findGroup(db: Db, provider: ScimProvider, id: string): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`${selected} ${source(provider, sql`r.id = ${id}`)}`.execute(db)
  return rows[0]
}

/** Members who have the role, and members of the group whose role comes from another, wider group. */
export async function membersOfGroup(db: Db, provider: ScimProvider, roleId: string): Promise<GroupMember[]> {
  const { rows } = await sql<GroupMember>`
    SELECT u.id, coalesce(m.display_name, u.name) AS name FROM organization_users m JOIN users u ON u.id = m.user_id
    WHERE m.org_id = ${provider.orgId} AND (m.role_id = ${roleId} OR EXISTS (
      SELECT FROM scim_group_members g
      WHERE g.provider_id = ${provider.id} AND g.role_id = ${roleId} AND g.user_id = m.user_id))
    ORDER BY m.created_at, m.id`.execute(db)
  return rows
}

export function groupResource(row: GroupRow, members: readonly GroupMember[], baseUrl: string) {
  const { id, externalId, createdAt: created, updatedAt: lastModified } = row
  return {
    schemas: [groupSchema],
    id,
    ...(externalId === null ? {} : { externalId }),
    displayName: row.name,
    members: members.map((member) => ({
      value: member.id,
      display: member.name,
      $ref: `${baseUrl}/Users/${member.id}`,
      type: 'User',
    })),
    meta: { resourceType: 'Group', created, lastModified, location: `${baseUrl}/Groups/${id}` },
  }
}
