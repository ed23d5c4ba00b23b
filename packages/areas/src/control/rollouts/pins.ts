import type { Db } from '@muster/db/database.ts'
import { isOneOf } from '@muster/db/lists.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { implement } from '../../operation.ts'
import { findOrganization, reachesNothing, requireWorking, within } from '../../tenancy/tenancy/index.ts'
import { pins as contract } from './pins.contract.ts'

const columns = [
  'id',
  'orgId',
  'partnerId',
  'siteId',
  'groupId',
  'version',
  'reason',
  'createdBy',
  'createdAt',
] as const

export default implement(contract, {
  async list({ caller, input: { page, limit, orgId }, db }) {
    const pagination = { page, limit, total: 0 }
    if (reachesNothing(caller)) return { data: [], pagination }
    const found = visible(db, caller).$if(orgId !== undefined, (query) => query.where('orgId', '=', orgId ?? ''))
    const [data, { total }] = await Promise.all([
      found
        .select(columns)
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .limit(limit)
        .offset((page - 1) * limit)
        .execute(),
      found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ])
    return { data, pagination: { ...pagination, total } }
  },

  async set({ caller, input, db, audit }) {
    const { orgId, siteId, groupId, version, reason } = input
    const partnerId = await requirePlace(db, caller, input)
    const before = await db
      .selectFrom('agentVersionPins')
      .select(columns)
      .where('orgId', '=', orgId)
      .where('siteId', 'is not distinct from', siteId)
      .where('groupId', 'is not distinct from', groupId)
      .forUpdate()
      .executeTakeFirst()
    const values = { orgId, partnerId, siteId, groupId, version, reason, createdBy: caller.userId }
    const after = await db
      .insertInto('agentVersionPins')
      .values(values)
      .onConflict((on) =>
        on.columns(['orgId', 'siteId', 'groupId']).doUpdateSet({ version, reason, createdBy: caller.userId }),
      )
      .returning(columns)
      .executeTakeFirstOrThrow()
    audit({ target: after.id, name: version ?? 'hold', orgId, partnerId, before, after })
    return after
  },

  async remove({ caller, input, db, audit }) {
    const before = await visible(db, caller).select(columns).where('id', '=', input.id).executeTakeFirst()
    if (before === undefined) throw notFound('Pin')
    const organization = await findOrganization(db, caller, before.orgId)
    if (organization !== undefined) requireWorking(organization)
    await db.deleteFrom('agentVersionPins').where('id', '=', input.id).execute()
    audit({
      target: before.id,
      name: before.version ?? 'hold',
      orgId: before.orgId,
      partnerId: before.partnerId,
      before,
    })
    return { success: true as const }
  },
})

/** Pins in the caller's reach. Members limited to sites or groups see those of these alone. */
const visible = (db: Db, caller: Caller) =>
  db
    .selectFrom('agentVersionPins')
    .where(within(caller, 'agentVersionPins.orgId', 'agentVersionPins.partnerId'))
    .$if(caller.siteIds !== null, (query) => query.where(isOneOf('siteId', caller.siteIds ?? [])))
    .$if(caller.deviceGroupIds !== null, (query) => query.where(isOneOf('groupId', caller.deviceGroupIds ?? [])))

/** The place, when the caller may decide about all of it. @returns the partner's id */
async function requirePlace(
  db: Db,
  caller: Caller,
  { orgId, siteId, groupId }: { orgId: string; siteId: string | null; groupId: string | null },
): Promise<string> {
  const organization = await findOrganization(db, caller, orgId)
  if (organization === undefined) throw notFound('Organization')
  requireWorking(organization)
  if (caller.siteIds !== null && (siteId === null || !caller.siteIds.includes(siteId)))
    throw denied('You are limited to sites: name one of them as siteId')
  if (caller.deviceGroupIds !== null && (groupId === null || !caller.deviceGroupIds.includes(groupId)))
    throw denied('You are limited to device groups: name one of them as groupId')
  const has = (table: 'sites' | 'deviceGroups', id: string) =>
    db.selectFrom(table).select('id').where('id', '=', id).where('orgId', '=', orgId).executeTakeFirst()
  if (siteId !== null && (await has('sites', siteId)) === undefined) throw notFound('Site')
  if (groupId !== null && (await has('deviceGroups', groupId)) === undefined) throw notFound('Group')
  return organization.partnerId
}
