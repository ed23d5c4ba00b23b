// A member is an account together with one membership. Columns that can differ between tenants (status, name, joining date)
// come from the membership. All other columns come from the account.
import type { Db } from '@muster/db/database.ts'
import { type Page, pagedSql } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { conflict, notFound } from '@muster/kit/errors.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Tenant, TenantInput } from '../../tenancy/tenancy/index.ts'
import type { RoleRow } from '../roles/index.ts'
import type { User } from './user.contract.ts'

/** A member with the ID of the membership. */
export type Member = User & { readonly membershipId: string }

export interface MemberFilter {
  readonly search?: string | undefined
  readonly status?: User['status'] | undefined
  readonly roleId?: string | undefined
}

const status = sql`CASE WHEN m.status = 'active' AND u.status = 'disabled' THEN 'disabled' ELSE m.status END`
const name = sql`coalesce(m.display_name, u.name)`
/** Columns of the account show only after its owner accepted. Otherwise an invitation would reveal whether the address has an account. */
const afterAcceptance = (column: RawBuilder<unknown>, otherwise: RawBuilder<unknown>) =>
  sql`CASE WHEN m.accepted_at IS NULL THEN ${otherwise} ELSE ${column} END`

const columns = sql`m.id AS membership_id, u.id, u.email, ${name} AS name, ${status} AS status, m.partner_id, m.role_id,
  r.name AS role_name, ${afterAcceptance(sql`u.avatar_url`, sql`NULL`)} AS avatar_url,
  ${afterAcceptance(sql`u.mfa_enabled`, sql`false`)} AS mfa_enabled,
  ${afterAcceptance(sql`u.last_login_at`, sql`NULL`)} AS last_login_at, m.created_at, m.updated_at`
const joins = sql`JOIN users u ON u.id = m.user_id JOIN roles r ON r.id = m.role_id`

const ofPartner = sql`SELECT 'partner' AS scope, NULL::uuid AS org_id, m.org_access,
  CASE m.org_access WHEN 'selected' THEN m.org_ids END AS org_ids, NULL::uuid[] AS site_ids, NULL::uuid[] AS device_group_ids, ${columns}
  FROM partner_users m ${joins}`
const ofOrganization = sql`SELECT 'organization' AS scope, m.org_id, NULL AS org_access, NULL::uuid[] AS org_ids,
  m.site_ids, m.device_group_ids, ${columns} FROM organization_users m ${joins}`

const partnerIn = (tenant: Tenant) => sql`m.partner_id = ${tenant.partnerId}`
const orgIn = (tenant: Tenant) => sql`m.org_id = ${tenant.orgId}`

const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&')

function filtered({ search, status: wanted, roleId }: MemberFilter): RawBuilder<unknown> {
  const conditions = [
    ...(search
      ? [sql`(u.email::text ILIKE ${`%${escaped(search)}%`} OR ${name} ILIKE ${`%${escaped(search)}%`})`]
      : []),
    ...(wanted === undefined ? [] : [sql`${status} = ${wanted}`]),
    ...(roleId === undefined ? [] : [sql`m.role_id = ${roleId}`]),
  ]
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `)
}

/** The members of a tenant, ordered by name, as one page. */
export function membersOf(db: Db, tenant: Tenant, filter: MemberFilter, page: Page) {
  const [source, reach] = tenant.orgId === null ? [ofPartner, partnerIn(tenant)] : [ofOrganization, orgIn(tenant)]
  const rows = sql<Member>`${source} WHERE ${reach} AND ${filtered(filter)}`
  return pagedSql(db, { rows, orderBy: sql`${name}, u.id` }, page)
}

/** The members who have a role, within the caller's reach. */
export function membersWithRole(db: Db, caller: Caller, role: RoleRow, page: Page) {
  const reach =
    caller.scope === 'system'
      ? sql`true`
      : caller.scope === 'organization'
        ? sql`m.org_id = ${caller.orgId}`
        : caller.orgAccess === 'all'
          ? sql`m.partner_id = ${caller.partnerId}`
          : sql`m.org_id = ANY (${[...(caller.accessibleOrgIds ?? [])]}::uuid[])`
  const partnerReach = caller.scope === 'system' ? sql`true` : sql`m.partner_id = ${caller.partnerId}`
  const rows =
    role.scope === 'partner'
      ? sql<Member>`${ofPartner} WHERE m.role_id = ${role.id} AND ${partnerReach}`
      : sql<Member>`${ofOrganization} WHERE m.role_id = ${role.id} AND ${reach}`
  return pagedSql(db, { rows, orderBy: sql`${name}, u.id` }, page)
}

/**
 * The membership of a person that the caller refers to: in the named tenant, else in the caller's own tenant, else in the
 * only organization within reach.
 * @throws NOT_FOUND; CONFLICT when several organizations match
 */
export async function memberById(db: Db, caller: Caller, userId: string, named: TenantInput): Promise<Member> {
  const orgId = named.orgId ?? caller.orgId
  const partnerId = caller.partnerId ?? named.partnerId ?? null
  const inPartner = caller.scope === 'organization' || orgId !== null
  const partnerReach = partnerId === null ? sql`true` : sql`m.partner_id = ${partnerId}`
  const orgReach =
    orgId !== null
      ? caller.accessibleOrgIds === null || caller.accessibleOrgIds.includes(orgId)
        ? sql`m.org_id = ${orgId}`
        : sql`false`
      : caller.accessibleOrgIds === null
        ? sql`true`
        : sql`m.org_id = ANY (${[...caller.accessibleOrgIds]}::uuid[])`
  const { rows } = await sql<Member>`
    ${ofPartner} WHERE m.user_id = ${userId} AND ${partnerReach} AND ${inPartner ? sql`false` : sql`true`}
    UNION ALL
    ${ofOrganization} JOIN organizations o ON o.id = m.org_id AND o.deleted_at IS NULL
    WHERE m.user_id = ${userId} AND ${partnerReach} AND ${orgReach}`.execute(db)
  const [first, second] = rows.sort((a, b) => Number(b.scope === 'partner') - Number(a.scope === 'partner'))
  if (first === undefined) throw notFound('User')
  if (first.scope === 'organization' && second !== undefined) {
    throw conflict('This person is a member of several organizations. Name one of them with orgId')
  }
  return first
}

/** The member of a membership in the partner or one of its organizations; null when the membership has ended. */
export async function memberOfMembership(db: Db, partnerId: string, membershipId: string): Promise<Member | null> {
  const one = sql`WHERE m.id = ${membershipId} AND m.partner_id = ${partnerId}`
  const { rows } = await sql<Member>`${ofPartner} ${one} UNION ALL ${ofOrganization} ${one}`.execute(db)
  return rows[0] ?? null
}

/** A person as a member of one organization; undefined when the person is not a member. */
export async function memberOfOrganization(db: Db, orgId: string, userId: string): Promise<Member | undefined> {
  const { rows } = await sql<Member>`${ofOrganization} WHERE m.org_id = ${orgId} AND m.user_id = ${userId}`.execute(db)
  return rows[0]
}

/** The tenant of a membership. */
export const tenantOfMember = (member: Member): Tenant =>
  member.orgId === null
    ? { scope: 'partner', partnerId: member.partnerId, orgId: null, name: '' }
    : { scope: 'organization', partnerId: member.partnerId, orgId: member.orgId, name: '' }
