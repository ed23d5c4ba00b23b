import type { Db } from '@muster/db/database.ts'
import type { Scope } from '@muster/kit/contract.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { type RawBuilder, sql } from 'kysely'
import { isPermission } from '../../../vocabulary.contract.ts'

/** The one membership under which a user is signed in, with the tenant's state. */
export interface Membership {
  readonly scope: Scope
  readonly partnerId: string | null
  readonly orgId: string | null
  readonly roleId: string
  readonly forceMfa: boolean
  readonly orgAccess: 'all' | 'selected' | 'none' | null
  readonly orgIds: string[] | null
  readonly siteIds: string[] | null
  readonly deviceGroupIds: string[] | null
  readonly partnerStatus: 'pending' | 'active' | 'suspended' | 'churned' | null
  /** The organisation wants a second factor of its members. */
  readonly requireMfa: boolean
  /** The organisation accepts codes by SMS as a second factor. */
  readonly smsAllowed: boolean
  /** An active identity provider of the organisation is the only way in. */
  readonly ssoEnforced: boolean
  /** Accepted by a link that the inviter handed over: the place is open although the address is not proven. */
  readonly vouched: boolean
}

/**
 * The memberships of a user that count: accepted, not disabled, in partners and organisations that still exist, widest
 * scope first, those of partners that are not active last. Of selected organisations only the partner's own live ones are left.
 */
export async function membershipsOf(db: Db, userId: string): Promise<Membership[]> {
  const { rows } = await sql<Membership>`SELECT * FROM (
    SELECT 'system' AS scope, NULL::uuid AS partner_id, NULL::uuid AS org_id, m.role_id, r.force_mfa, NULL AS org_access,
           NULL::uuid[] AS org_ids, NULL::uuid[] AS site_ids, NULL::uuid[] AS device_group_ids, NULL AS partner_status,
           false AS require_mfa, true AS sms_allowed, false AS sso_enforced, false AS vouched, 0 AS rank, m.created_at
    FROM system_users m JOIN roles r ON r.id = m.role_id WHERE m.user_id = ${userId}
    UNION ALL
    SELECT 'partner', m.partner_id, NULL, m.role_id, r.force_mfa, m.org_access,
           ARRAY(SELECT o.id FROM organizations o WHERE o.id = ANY (m.org_ids) AND o.partner_id = m.partner_id AND o.deleted_at IS NULL),
           NULL, NULL, p.status, false, true, false, m.vouched_at IS NOT NULL, 1, m.created_at
    FROM partner_users m JOIN roles r ON r.id = m.role_id JOIN partners p ON p.id = m.partner_id AND p.deleted_at IS NULL
    WHERE m.user_id = ${userId} AND m.status = 'active'
    UNION ALL
    SELECT 'organization', m.partner_id, m.org_id, m.role_id, r.force_mfa, NULL, NULL, m.site_ids, m.device_group_ids, p.status,
           o.settings #> '{security,requireMfa}' IS NOT DISTINCT FROM 'true'::jsonb,
           o.settings #> '{security,allowedMfaMethods,sms}' IS DISTINCT FROM 'false'::jsonb,
           EXISTS (SELECT FROM sso_providers s WHERE s.org_id = m.org_id AND s.status = 'active' AND s.enforce_sso), m.vouched_at IS NOT NULL, 2,
           m.created_at
    FROM organization_users m JOIN roles r ON r.id = m.role_id JOIN partners p ON p.id = m.partner_id AND p.deleted_at IS NULL
    JOIN organizations o ON o.id = m.org_id AND o.deleted_at IS NULL
    WHERE m.user_id = ${userId} AND m.status = 'active') membership
    ORDER BY coalesce(partner_status, 'active') <> 'active', rank, created_at`.execute(db)
  return rows
}

/** The organisations that a membership is limited to; null where no list limits it. */
export const accessibleOrgs = ({ scope, orgId, orgAccess, orgIds }: Membership): string[] | null => {
  if (scope === 'organization' && orgId !== null) return [orgId]
  return orgAccess === 'selected' ? (orgIds ?? []) : orgAccess === 'none' ? [] : null
}

/** What a role allows: its own permissions and those of its parents. */
export async function permissionsOfRole(db: Db, roleId: string | RawBuilder<string>): Promise<ReadonlySet<Permission>> {
  const { rows } = await sql<{ permission: string }>`
    WITH RECURSIVE chain AS (
      SELECT id, parent_role_id FROM roles WHERE id = ${roleId}
      UNION
      SELECT r.id, r.parent_role_id FROM roles r JOIN chain c ON r.id = c.parent_role_id
    )
    SELECT DISTINCT p.resource || ':' || p.action AS permission
    FROM chain c JOIN role_permissions rp ON rp.role_id = c.id JOIN permissions p ON p.id = rp.permission_id`.execute(
    db,
  )
  return new Set(rows.map((row) => row.permission).filter(isPermission))
}

/** What a user's role in one place allows; whether the membership counts is for `membershipIn` to say. */
export function permissionsIn(db: Db, userId: string, { scope, partnerId, orgId }: Place) {
  const roles = {
    system: sql<string>`(SELECT role_id FROM system_users WHERE user_id = ${userId})`,
    partner: sql<string>`(SELECT role_id FROM partner_users WHERE user_id = ${userId} AND partner_id = ${partnerId})`,
    organization: sql<string>`(SELECT role_id FROM organization_users WHERE user_id = ${userId} AND org_id = ${orgId})`,
  }
  return permissionsOfRole(db, roles[scope])
}

/** Where somebody acts: in the installation, for a partner, or in one organisation. */
export type Place = Pick<Membership, 'scope' | 'partnerId' | 'orgId'>

/** The membership of a user in one place, if it still counts. */
export async function membershipIn(db: Db, userId: string, place: Place): Promise<Membership | undefined> {
  const all = await membershipsOf(db, userId)
  return all.find(
    ({ scope, partnerId, orgId }) => scope === place.scope && partnerId === place.partnerId && orgId === place.orgId,
  )
}
