// Users, roles and reviews belong to a partner or to one of its organizations. These functions find the tenant of a request.
import { allOf, type Condition, equals, isNull } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { AppError, denied, notFound } from '@muster/kit/errors.ts'
import { findOrganization, requireWorking } from './organizations/organizations.queries.ts'

export type Tenant =
  | { readonly scope: 'partner'; readonly partnerId: string; readonly orgId: null; readonly name: string }
  | { readonly scope: 'organization'; readonly partnerId: string; readonly orgId: string; readonly name: string }

export interface TenantInput {
  readonly partnerId?: string | undefined
  /** Null is the caller's own tenant, as if it were absent. */
  readonly orgId?: string | null | undefined
}

/**
 * The tenant of a request: the named one, else the caller's own.
 * @throws FORBIDDEN or NOT_FOUND when it is out of reach; FORBIDDEN when a system caller names none
 */
export async function tenantOf(db: Db, caller: Caller, { partnerId, orgId }: TenantInput): Promise<Tenant> {
  if (caller.scope !== 'system' && partnerId !== undefined && partnerId !== caller.partnerId) {
    throw denied('Access denied to this partner')
  }
  const wanted = orgId ?? caller.orgId
  if (wanted === null) return partnerTenant(db, caller.partnerId ?? partnerId)
  const organization = await findOrganization(db, caller, wanted)
  if (organization === undefined) {
    throw caller.scope === 'organization' ? denied('Access to this organization denied') : notFound('Organization')
  }
  const { id, name } = organization
  return { scope: 'organization', partnerId: organization.partnerId, orgId: id, name }
}

/** Names the fields of which the request needs one. */
const withoutTenant = () =>
  new AppError('FORBIDDEN', 'Partner or organization context', {
    issues: [{ path: 'orgId', message: 'orgId or partnerId is required in system scope' }],
  })

async function partnerTenant(db: Db, partnerId: string | undefined): Promise<Tenant> {
  if (partnerId === undefined) throw withoutTenant()
  const partner = await db
    .selectFrom('partners')
    .select(['id', 'name'])
    .where('id', '=', partnerId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  if (partner === undefined) throw notFound('Partner')
  return { scope: 'partner', partnerId: partner.id, orgId: null, name: partner.name }
}

/** Rejects additions to a suspended or churned organization. */
export const requireWorkingTenant = (db: Db, caller: Caller, { orgId }: Pick<Tenant, 'orgId'>): Promise<void> =>
  requireWorkingOrganization(db, caller, orgId)

/** Rejects changes in a suspended or churned organization. Null stands for the partner itself. */
export async function requireWorkingOrganization(db: Db, caller: Caller, orgId: string | null): Promise<void> {
  if (orgId === null) return
  const organization = await findOrganization(db, caller, orgId)
  if (organization !== undefined) requireWorking(organization)
}

/** Rows that belong to the tenant itself: for a partner, those without an organization. */
export const ofTenant = (tenant: Tenant, orgColumn: string, partnerColumn: string): Condition =>
  tenant.orgId === null
    ? allOf(equals(partnerColumn, tenant.partnerId), isNull(orgColumn))
    : equals(orgColumn, tenant.orgId)
