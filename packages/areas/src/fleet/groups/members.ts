import { paged } from '@muster/db/page.ts'
import { denied, invalid, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import { isLimited, requireWorkingOrganization } from '../../tenancy/tenancy/index.ts'
import { asDevice, deviceColumns, stateColumns, visibleDevices } from '../devices/index.ts'
import { groupById, requireNotLimitedToGroups } from './group.queries.ts'
import { members as contract } from './members.contract.ts'
import { addMembers, logMembers } from './members.queries.ts'
import { tellMembers } from './members-events.ts'
import { evaluateGroup } from './membership.ts'

/** The group and one of its devices, both within reach. @throws NOT_FOUND */
async function memberOf({ db, caller }: Call, id: string, deviceId: string) {
  const group = await groupById(db, caller, id)
  const device = await db
    .selectFrom('devices')
    .select(['devices.id', 'devices.hostname', 'devices.orgId', 'devices.siteId'])
    .where(visibleDevices(caller))
    .where('devices.id', '=', deviceId)
    .executeTakeFirst()
  if (device === undefined || device.orgId !== group.orgId) throw notFound('Device')
  return { group, device }
}

const changeMembers = 'change the members of a group'

const noted = (group: Awaited<ReturnType<typeof groupById>>, details: Record<string, unknown>) => ({
  target: group.id,
  name: group.name,
  orgId: group.orgId,
  partnerId: group.partnerId,
  details,
})

export default implement(contract, {
  async list({ caller, input: { id, page, limit }, db, services }) {
    await groupById(db, caller, id)
    const found = db
      .selectFrom('deviceGroupMembers as member')
      .innerJoin('devices', 'devices.id', 'member.deviceId')
      .leftJoin('deviceState as state', 'state.deviceId', 'devices.id')
      .where('member.groupId', '=', id)
      .where(visibleDevices(caller))
    const { data, pagination } = await paged(
      found
        .select(deviceColumns)
        .select(stateColumns)
        .select(['member.pinned', 'member.addedAt'])
        .orderBy('devices.hostname')
        .orderBy('devices.id'),
      { page, limit },
    )
    return { data: data.map((row) => asDevice(row, services.clock.now())), pagination }
  },

  async add({ caller, input, db, audit }) {
    const group = await groupById(db, caller, input.id)
    requireNotLimitedToGroups(caller, changeMembers)
    await requireWorkingOrganization(db, caller, group.orgId)
    if (group.type === 'dynamic')
      throw invalid('The filter of a dynamic group chooses its devices. Pin a device to keep it in the group')
    const outcome = await addMembers(db, caller, group, input.deviceIds)
    await tellMembers(
      db,
      'joined',
      outcome.added.map((deviceId) => ({ groupId: group.id, deviceId })),
    )
    audit(noted(group, { added: outcome.added }))
    return outcome
  },

  async remove(call) {
    const { caller, db, audit, input } = call
    const { group, device } = await memberOf(call, input.id, input.deviceId)
    requireNotLimitedToGroups(caller, changeMembers)
    await requireWorkingOrganization(db, caller, group.orgId)
    if (group.type === 'dynamic')
      throw denied('The filter of a dynamic group chooses its devices. Change the filter instead')
    const { numDeletedRows } = await db
      .deleteFrom('deviceGroupMembers')
      .where('groupId', '=', group.id)
      .where('deviceId', '=', device.id)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Device')
    await logMembers(db, caller, group, 'removed', [device.id])
    await tellMembers(db, 'left', [{ groupId: group.id, deviceId: device.id }])
    audit(noted(group, { removed: [device.id] }))
    return { success: true as const }
  },

  async pin(call) {
    const { caller, db, audit, input } = call
    const { group, device } = await memberOf(call, input.id, input.deviceId)
    requireNotLimitedToGroups(caller, changeMembers)
    await requireWorkingOrganization(db, caller, group.orgId)
    if (group.siteId !== null && device.siteId !== group.siteId) throw invalid('The device belongs to another site')
    const pinned = await db
      .insertInto('deviceGroupMembers')
      .values({ groupId: group.id, deviceId: device.id, orgId: group.orgId, partnerId: group.partnerId, pinned: true })
      .onConflict((row) => row.columns(['groupId', 'deviceId']).doUpdateSet({ pinned: true }))
      .returning(sql<boolean>`xmax = 0`.as('isNew'))
      .executeTakeFirstOrThrow()
    if (pinned.isNew) await tellMembers(db, 'joined', [{ groupId: group.id, deviceId: device.id }])
    await logMembers(db, caller, group, 'pinned', [device.id])
    audit(noted(group, { pinned: device.id }))
    return { success: true as const }
  },

  async unpin(call) {
    const { caller, db, audit, input } = call
    const { group, device } = await memberOf(call, input.id, input.deviceId)
    requireNotLimitedToGroups(caller, changeMembers)
    await requireWorkingOrganization(db, caller, group.orgId)
    const pin = db
      .updateTable('deviceGroupMembers')
      .set({ pinned: false })
      .where('groupId', '=', group.id)
      .where('deviceId', '=', device.id)
      .where('pinned', '=', true)
    if ((await pin.executeTakeFirst()).numUpdatedRows === 0n) throw notFound('Pin')
    await logMembers(db, caller, group, 'unpinned', [device.id])
    if (group.type === 'dynamic') await evaluateGroup(db, group, [device.id])
    audit(noted(group, { unpinned: device.id }))
    return { success: true as const }
  },

  async log({ caller, input: { id, page, limit }, db }) {
    await groupById(db, caller, id)
    // A device that left the group may no longer be visible to members with limits.
    const found = db
      .selectFrom('deviceGroupLog as entry')
      .leftJoin('devices', (join) => join.onRef('devices.id', '=', 'entry.deviceId').on(visibleDevices(caller)))
      .where('entry.groupId', '=', id)
      .$if(isLimited(caller), (query) => query.where('devices.id', 'is not', null))
    return paged(found.selectAll('entry').select('devices.hostname').orderBy('entry.at', 'desc').orderBy('entry.id'), {
      page,
      limit,
    })
  },
})
