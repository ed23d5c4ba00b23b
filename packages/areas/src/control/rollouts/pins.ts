import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { implement } from '../../operation.ts'
import { reachesNothing, requireLocation, requireWorkingOrganization, within } from '../../tenancy/tenancy/index.ts'
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
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const found = visible(db, caller).$if(orgId !== undefined, (query) => query.where('orgId', '=', orgId ?? ''))
    return paged(found.select(columns).orderBy('createdAt', 'desc').orderBy('id'), { page, limit })
  },

  async set({ caller, input, db, audit }) {
    const { orgId, siteId, groupId, version, reason } = input
    const partnerId = await requireTarget(db, caller, input)
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
    await requireWorkingOrganization(db, caller, before.orgId)
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

/** Pins in the caller's reach. Members limited to sites or groups see only the pins of these. */
const visible = (db: Db, caller: Caller) =>
  db
    .selectFrom('agentVersionPins')
    .where(within(caller, 'agentVersionPins.orgId', 'agentVersionPins.partnerId'))
    .$if(caller.siteIds !== null, (query) => query.where(isOneOf('siteId', caller.siteIds ?? [])))
    .$if(caller.deviceGroupIds !== null, (query) => query.where(isOneOf('groupId', caller.deviceGroupIds ?? [])))

/** The target of a pin, if the caller reaches all of it. @returns the partner's ID */
async function requireTarget(
  db: Db,
  caller: Caller,
  { orgId, siteId, groupId }: { orgId: string; siteId: string | null; groupId: string | null },
): Promise<string> {
  const { partnerId } = await requireLocation(db, caller, { orgId, siteId })
  if (caller.deviceGroupIds !== null && (groupId === null || !caller.deviceGroupIds.includes(groupId)))
    throw denied('You are limited to device groups: name one of them as groupId')
  if (groupId === null) return partnerId
  const inOrganization = db.selectFrom('deviceGroups').where('orgId', '=', orgId)
  const group = await inOrganization.select('id').where('id', '=', groupId).executeTakeFirst()
  if (group === undefined) throw notFound('Group')
  return partnerId
}
