// People who want to hear when a device is online again.
import { paged } from '@muster/db/page.ts'
import { conflict } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { deviceById, visibleDevices } from '../../fleet/devices/index.ts'
import { type Call, implement } from '../../operation.ts'
import { requireWorkingOrganization } from '../../tenancy/tenancy/index.ts'
import { deviceWatches as contract } from './device-watches.contract.ts'

const deviceOf = ({ db, caller, services, input: { id } }: Call<{ id: string }>) =>
  deviceById(db, caller, id, services.clock.now())

export default implement(contract, {
  async list({ db, caller, input }) {
    const rows = db
      .selectFrom('deviceWatches')
      .innerJoin('devices', 'devices.id', 'deviceWatches.deviceId')
      .where('deviceWatches.userId', '=', caller.userId)
      .where(visibleDevices(caller))
      .select(({ fn }) => [
        'deviceWatches.deviceId',
        fn.coalesce('devices.displayName', 'devices.hostname').as('name'),
        'devices.orgId',
        'devices.siteId',
        'deviceWatches.createdAt',
      ])
    return paged(rows.orderBy('deviceWatches.createdAt', 'desc').orderBy('deviceWatches.deviceId'), input)
  },

  async get(call) {
    const { db, caller } = call
    const { id } = await deviceOf(call)
    const found = await db
      .selectFrom('deviceWatches')
      .select('deviceId')
      .where('deviceId', '=', id)
      .where('userId', '=', caller.userId)
      .executeTakeFirst()
    return { deviceId: id, watching: found !== undefined }
  },

  async create(call) {
    const { db, caller } = call
    const { id, orgId } = await deviceOf(call)
    await requireWorkingOrganization(db, caller, orgId)
    // The lock lasts until the watch is stored, so the device is not online unnoticed between.
    const { rows } = await sql<{
      status: string
      lifecycle: string
      partnerId: string
    }>`SELECT s.status, d.lifecycle, d.partner_id FROM device_state s
      JOIN devices d ON d.id = s.device_id WHERE s.device_id = ${id} FOR SHARE OF s`.execute(db)
    const [state] = rows
    if (state?.lifecycle === 'decommissioned') throw conflict('The device is decommissioned')
    if (state?.status !== 'offline') throw conflict('The device is online')
    await db
      .insertInto('deviceWatches')
      .values({ deviceId: id, userId: caller.userId, orgId, partnerId: state.partnerId })
      .onConflict((same) => same.doNothing())
      .execute()
    return { deviceId: id, watching: true }
  },

  async remove(call) {
    const { db, caller } = call
    const { id, orgId } = await deviceOf(call)
    await requireWorkingOrganization(db, caller, orgId)
    await db.deleteFrom('deviceWatches').where('deviceId', '=', id).where('userId', '=', caller.userId).execute()
    return { success: true as const }
  },
})
