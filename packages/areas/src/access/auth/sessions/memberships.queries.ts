import type { Db } from '@muster/db/database.ts'
import type { Scope } from '@muster/kit/contract.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { type RawBuilder, sql } from 'kysely'
import { isPermission } from '../../../vocabulary.contract.ts'

/** The membership that a user is signed in with, and the state of its tenant. */
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
  /** Whether the organization requires a second factor. */
  readonly requireMfa: boolean
  /** Whether the organization accepts SMS codes as a second factor. */
  readonly smsAllowed: boolean
  /** Whether an active identity provider of the organization is the only way to sign in. */
  readonly ssoEnforced: boolean
  /** Whether the membership was accepted through a handed link. It gives access although the address is unproven. */
  readonly vouched: boolean
}

/**
 * The active memberships of a user in tenants that exist, ordered by scope, widest first. Those of inactive partners come
 * last. Selected organizations are reduced to the live ones of the partner.
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

/** The organizations that a membership is limited to; null without such a limit. */
export const accessibleOrgs = ({ scope, orgId, orgAccess, orgIds }: Membership): string[] | null => {
  if (scope === 'organization' && orgId !== null) return [orgId]
  return orgAccess === 'selected' ? (orgIds ?? []) : orgAccess === 'none' ? [] : null
}

/** The permissions of a role, including those of its parents. */
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

/** The permissions of a user's role in one tenant. It does not check that the membership is active; `membershipIn` does. */
export function permissionsIn(db: Db, userId: string, { scope, partnerId, orgId }: TenantScope) {
  const roles = {
    system: sql<string>`(SELECT role_id FROM system_users WHERE user_id = ${userId})`,
    partner: sql<string>`(SELECT role_id FROM partner_users WHERE user_id = ${userId} AND partner_id = ${partnerId})`,
    organization: sql<string>`(SELECT role_id FROM organization_users WHERE user_id = ${userId} AND org_id = ${orgId})`,
  }
  return permissionsOfRole(db, roles[scope])
}

/** The tenant in which a user acts: the installation, a partner or an organization. */
export type TenantScope = Pick<Membership, 'scope' | 'partnerId' | 'orgId'>

/** The active membership of a user in one tenant. */
export async function membershipIn(db: Db, userId: string, place: TenantScope): Promise<Membership | undefined> {
  const all = await membershipsOf(db, userId)
  return all.find(
    ({ scope, partnerId, orgId }) => scope === place.scope && partnerId === place.partnerId && orgId === place.orgId,
  )
}
