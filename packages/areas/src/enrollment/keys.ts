import type { Db } from '@muster/db/database.ts'
import { isOneOf } from '@muster/db/lists.ts'
import type { Caller } from '@muster/kit/access.ts'
import { invalid, notFound } from '@muster/kit/errors.ts'
import { implement } from '../operation.ts'
import { findOrganization, reachesNothing, requireWorking, within } from '../tenancy/index.ts'
import { newKeySecret } from './key-secret.ts'
import { tenantForKey } from './key-tenant.ts'
import { keys as contract } from './keys.contract.ts'

const keyColumns = [
  'enrollmentKeys.id',
  'enrollmentKeys.orgId',
  'enrollmentKeys.partnerId',
  'enrollmentKeys.siteId',
  'enrollmentKeys.deviceId',
  'enrollmentKeys.name',
  'enrollmentKeys.keyPrefix',
  'enrollmentKeys.usageCount',
  'enrollmentKeys.maxUsage',
  'enrollmentKeys.expiresAt',
  'enrollmentKeys.createdBy',
  'enrollmentKeys.createdAt',
  'enrollmentKeys.updatedAt',
] as const

export default implement(contract, {
  async list({ caller, input: { page, limit, orgId, siteId }, db }) {
    const pagination = { page, limit, total: 0 }
    if (reachesNothing(caller)) return { data: [], pagination }
    const chosen = visible(db, caller)
      .$if(orgId !== undefined, (query) => query.where('enrollmentKeys.orgId', '=', orgId ?? ''))
      .$if(siteId !== undefined, (query) => query.where('enrollmentKeys.siteId', '=', siteId ?? ''))
    const [data, { total }] = await Promise.all([
      chosen
        .select(keyColumns)
        .orderBy('enrollmentKeys.createdAt', 'desc')
        .orderBy('enrollmentKeys.id')
        .limit(limit)
        .offset((page - 1) * limit)
        .execute(),
      chosen.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ])
    return { data, pagination: { ...pagination, total } }
  },

  async get({ caller, input, db }) {
    return keyById(db, caller, input.id)
  },

  async create({ caller, input, db, services, audit }) {
    const { orgId, expiresAt } = input
    const partnerId = await tenantForKey(db, caller, input)
    if (expiresAt !== null && Date.parse(expiresAt) <= services.clock.now()) {
      throw invalid('expiresAt: must be in the future')
    }
    const { key, ...stored } = newKeySecret(services.keyring)
    const made = await db
      .insertInto('enrollmentKeys')
      .values({ ...input, ...stored, partnerId, createdBy: caller.userId })
      .returning(keyColumns)
      .executeTakeFirstOrThrow()
    audit({ target: made.id, name: made.name, orgId, partnerId, after: made })
    return { ...made, key }
  },

  async rotate({ caller, input, db, services, audit }) {
    const before = await workingKeyById(db, caller, input.id)
    const { key, ...stored } = newKeySecret(services.keyring)
    const after = await db
      .updateTable('enrollmentKeys')
      .set(stored)
      .where('id', '=', input.id)
      .returning(keyColumns)
      .executeTakeFirst()
    if (after === undefined) throw notFound('Enrollment key')
    const { orgId, partnerId } = after
    audit({ target: after.id, name: after.name, orgId, partnerId, before, after })
    return { ...after, key }
  },

  async remove({ caller, input, db, audit }) {
    const before = await workingKeyById(db, caller, input.id)
    const { numDeletedRows } = await db.deleteFrom('enrollmentKeys').where('id', '=', input.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Enrollment key')
    audit({ target: before.id, name: before.name, orgId: before.orgId, partnerId: before.partnerId, before })
    return { success: true as const }
  },
})

/** Keys in the caller's reach. Who is limited to sites sees the keys of these; who is limited to device groups none. */
const visible = (db: Db, caller: Caller) =>
  db
    .selectFrom('enrollmentKeys')
    .innerJoin('organizations', 'organizations.id', 'enrollmentKeys.orgId')
    .where('organizations.deletedAt', 'is', null)
    .where(within(caller, 'enrollmentKeys.orgId', 'enrollmentKeys.partnerId'))
    .$if(caller.siteIds !== null, (query) => query.where(isOneOf('enrollmentKeys.siteId', caller.siteIds ?? [])))
    .$if(caller.deviceGroupIds !== null, (query) => query.where((eb) => eb.lit(false)))

async function keyById(db: Db, caller: Caller, id: string) {
  const key = await visible(db, caller).where('enrollmentKeys.id', '=', id).select(keyColumns).executeTakeFirst()
  if (key === undefined) throw notFound('Enrollment key')
  return key
}

/** Nothing is changed in an organisation that is suspended or churned. */
async function workingKeyById(db: Db, caller: Caller, id: string) {
  const key = await keyById(db, caller, id)
  const organization = await findOrganization(db, caller, key.orgId)
  if (organization !== undefined) requireWorking(organization)
  return key
}
