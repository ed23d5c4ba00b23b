// Callers with limits, and the ids that they might use to get around these limits.

import { reviews } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { keys as apiKeys } from '@muster/areas/access/api-keys/keys.contract.ts'
import { callersOf } from '@muster/areas/caller-cache.ts'
import type { Stage } from '@muster/areas/examples.ts'
import { keys } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import { groups } from '@muster/areas/fleet/groups/groups.contract.ts'
import { permissionCatalog } from '@muster/areas/vocabulary.contract.ts'
import { asSystem } from '@muster/db/database.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person } from '@muster/testkit/world.ts'
import { sql } from 'kysely'
import type { Kinds } from './reach-inputs.ts'
import type { StageWorld } from './stage.ts'

export interface LimitedCaller {
  readonly name: string
  readonly scope: 'partner' | 'organization'
  readonly who: Person
  /** Limited in permissions only: may change grants that allow no more than its own permissions. */
  readonly isLesser: boolean
  readonly kinds: Kinds
  /** The stages that examples are made from: the shared stage, and copies with things closer to the caller. */
  readonly stages: readonly Stage[]
}

/** A custom role of the organization with all permissions except these. */
async function roleWithout({ stage }: StageWorld, name: string, without: readonly string[]): Promise<string> {
  const { system } = await testServices()
  return asSystem(system, async (db) => {
    const { id } = await db
      .insertInto('roles')
      .values({ scope: 'organization', partnerId: stage.partner, orgId: stage.org, name })
      .returning('id')
      .executeTakeFirstOrThrow()
    const granted = Object.keys(permissionCatalog).filter((permission) => !without.includes(permission))
    await sql`INSERT INTO role_permissions (role_id, permission_id)
      SELECT ${id}, id FROM permissions WHERE resource || ':' || action = ANY (${granted}::text[])`.execute(db)
    return id
  })
}

async function assign(who: Person, roleId: string): Promise<void> {
  const services = await testServices()
  const { system } = services
  const callers = callersOf(services)
  await system.query('UPDATE organization_users SET role_id = $2 WHERE user_id = $1', [who.userId, roleId])
  callers.clear()
}

async function roleOf(who: Person): Promise<string> {
  const { system } = await testServices()
  const { rows } = await system.query<{ role_id: string }>(
    `SELECT role_id FROM organization_users WHERE user_id = $1 UNION SELECT role_id FROM partner_users WHERE user_id = $1`,
    [who.userId],
  )
  return rows[0]?.role_id ?? ''
}

/** The things that all limited callers may name. */
async function surroundings(there: StageWorld) {
  const { stage, world } = there
  const { partnerAdmin, orgAdmin } = world
  const orgId = stage.org
  const [farDevice = ''] = await enrolled(partnerAdmin, { orgId, siteId: stage.otherSite }, 'elsewhere')
  const [foreignDevice = ''] = await enrolled(partnerAdmin, { orgId: stage.otherOrg }, 'foreign')
  const filter = { field: 'hostname', op: 'contains', value: 'sample' } as const
  const chosen = await call(orgAdmin, groups.create, { orgId, name: 'Chosen by a filter', filter })
  const siteKey = await call(partnerAdmin, keys.create, { orgId, siteId: stage.site, name: 'Of the site' })
  const orgKey = await call(orgAdmin, apiKeys.create, { name: 'Of the organization', scopes: ['*:*'] })
  const review = await call(orgAdmin, reviews.create, { name: 'Of the organization' })
  const { items } = await call(orgAdmin, reviews.get, { id: review.id })
  const greaterRole = await roleWithout(there, 'Greater', ['*:*'])
  const adminItem = items.find(({ userId }) => userId === orgAdmin.userId)?.id ?? ''
  const kinds = {
    site: [stage.site, stage.otherSite],
    group: [chosen.id, stage.group, stage.otherGroup],
    org: [stage.org, stage.otherOrg],
    partner: [stage.partner],
    device: [stage.device, stage.otherDevice, farDevice, foreignDevice],
    role: [
      await roleOf(orgAdmin),
      await roleOf(partnerAdmin),
      greaterRole,
      stage.orgRole,
      stage.role,
      stage.unusedRole,
    ],
    user: [orgAdmin.userId, partnerAdmin.userId, stage.orgUser, stage.user, stage.invitedUser],
    apiKey: [orgKey.id, stage.apiKey],
    enrollmentKey: [siteKey.id, stage.enrollmentKey],
  }
  const ofOrg: Stage = {
    ...stage,
    role: stage.orgRole,
    user: stage.orgUser,
    apiKey: orgKey.id,
    review: review.id,
    reviewItem: adminItem,
    enrollmentKey: siteKey.id,
    group: chosen.id,
  }
  const ofGreater: Stage = { ...ofOrg, user: orgAdmin.userId, role: greaterRole, unusedRole: greaterRole }
  return { kinds, stages: [stage, ofOrg, ofGreater], chosen: chosen.id }
}

export async function limitedCallers(there: StageWorld): Promise<LimitedCaller[]> {
  const { stage } = there
  const { kinds, stages, chosen } = await surroundings(there)
  const tenant = { scope: 'organization', partnerId: stage.partner, orgId: stage.org } as const
  const atSite = await person(tenant, { role: 'Org Admin', siteIds: [stage.site] })
  const inGroups = await person(tenant, { role: 'Org Admin', deviceGroupIds: [chosen, stage.group] })
  const lesser = await person(tenant, { role: 'Org Viewer' })
  await assign(lesser, await roleWithout(there, 'Lesser', ['*:*', 'scripts:execute']))
  const ofPartner = { scope: 'partner', partnerId: stage.partner } as const
  const selected = await person(ofPartner, { role: 'Partner Admin', orgAccess: 'selected', orgIds: [stage.org] })
  const limited = async (name: string, who: Person, scope: 'partner' | 'organization', isLesser = false) => {
    const own = await call(who, apiKeys.create, { name: 'Own', scopes: ['devices:read'] })
    const ownKinds: Kinds = {
      ...kinds,
      role: [await roleOf(who), ...kinds.role],
      user: [who.userId, ...kinds.user],
      apiKey: [own.id, ...kinds.apiKey],
    }
    return { name, who, scope, isLesser, stages, kinds: ownKinds }
  }
  return [
    await limited('limited to sites', atSite, 'organization'),
    await limited('limited to device groups', inGroups, 'organization'),
    await limited('with selected organizations', selected, 'partner'),
    await limited('with fewer permissions', lesser, 'organization', true),
  ]
}
