import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Tables } from '@muster/db/tables.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { type SelectQueryBuilder, sql } from 'kysely'
import { within } from '../reach.ts'

export interface OrganizationRef {
  readonly id: string
  readonly partnerId: string
  readonly name: string
  readonly status: 'active' | 'suspended' | 'trial' | 'churned'
}

/** The live organization, if it is within the caller's reach. */
export const findOrganization = (db: Db, caller: Caller, orgId: string): Promise<OrganizationRef | undefined> =>
  db
    .selectFrom('organizations')
    .select(['id', 'partnerId', 'name', 'status'])
    .where('id', '=', orgId)
    .where('deletedAt', 'is', null)
    .where(within(caller, 'id', 'partnerId'))
    .executeTakeFirst()

/**
 * Requires that the organizations of a filter are live and within reach. All lists, streams and bulk requests use this rule.
 * @throws FORBIDDEN when one of them is out of reach; NOT_FOUND in system scope
 */
export async function requireOrganizationsInReach(db: Db, caller: Caller, orgIds: readonly string[]): Promise<void> {
  const named = [...new Set(orgIds)]
  if (named.length === 0) return
  const { found } = await reachableOrganizations(db, caller)
    .where(isOneOf('organizations.id', named))
    .select((eb) => eb.fn.countAll<number>().as('found'))
    .executeTakeFirstOrThrow()
  if (found === named.length) return
  throw caller.scope === 'system' ? notFound('Organization') : denied('Access to this organization denied')
}

/**
 * Requires an active organization. Suspended and churned organizations still report and can be read, but they accept no
 * additions, changes, removals or commands. The partner can still change the organization's own record.
 */
export function requireWorking(organization: Pick<OrganizationRef, 'status'>): void {
  if (!isWorking(organization)) throw denied(`Organization is ${organization.status}`)
}
export const isWorking = ({ status }: Pick<OrganizationRef, 'status'>): boolean =>
  status !== 'suspended' && status !== 'churned'

type Organizations = SelectQueryBuilder<Tables, 'organizations', object>

/** The live organizations within the caller's reach. Those of a deleted partner count as deleted. */
export const reachableOrganizations = (db: Db, caller: Caller): Organizations =>
  db
    .selectFrom('organizations')
    .where('organizations.deletedAt', 'is', null)
    .where(within(caller, 'organizations.id', 'organizations.partnerId'))

/** The order in which a partner lists its organizations; empty when none was saved. */
export async function savedOrder(db: Db, partnerId: string | null): Promise<string[]> {
  if (partnerId === null) return []
  const partner = await db.selectFrom('partners').select('settings').where('id', '=', partnerId).executeTakeFirst()
  const order = partner?.settings.organizationOrder
  return Array.isArray(order) ? order.filter((id) => typeof id === 'string') : []
}

/** Organizations in the saved order, then by time of creation. By name when no order is saved. */
export function inSavedOrder(organizations: Organizations, order: readonly string[]): Organizations {
  if (order.length === 0) return organizations.orderBy('organizations.name').orderBy('organizations.id')
  const positions = JSON.stringify(Object.fromEntries(order.map((id, index) => [id, index])))
  const position = sql`(${positions}::jsonb ->> organizations.id::text)::integer`
  return organizations
    .orderBy(position, (by) => by.asc().nullsLast())
    .orderBy('organizations.createdAt')
    .orderBy('organizations.id')
}
