import { paged } from '@muster/db/page.ts'
import { invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { implement } from '../../operation.ts'
import { liveEvent, type PartnerEvent, publishEvents } from '../../platform/live-events/index.ts'
import { isWorking } from '../../tenancy/tenancy/index.ts'
import { asDevice, deviceColumns, stateColumns } from './devices.queries.ts'
import { deviceChanged } from './state/device-events.contract.ts'
import { tags as contract, tagsMax } from './tags.contract.ts'
import { visibleDevices } from './visibility.ts'

export default implement(contract, {
  async list({ caller, input: { page, limit, orgId, search }, db }) {
    const tagged = db
      .selectFrom('devices')
      .innerJoinLateral(sql<{ tag: string }>`unnest(devices.tags)`.as<'tagged'>(sql`tagged(tag)`), (join) =>
        join.onTrue(),
      )
      .where(visibleDevices(caller))
      .where('devices.lifecycle', '<>', 'decommissioned')
      .$if(orgId !== undefined, (query) => query.where('devices.orgId', '=', orgId ?? ''))
      .$if(search !== undefined, (query) =>
        query.where(sql<boolean>`strpos(lower(tagged.tag), lower(${search}::text)) > 0`),
      )
    const counted = tagged
      .select((eb) => ['tagged.tag', eb.fn.countAll<number>().as('deviceCount')])
      .groupBy('tagged.tag')
    const ordered = db.selectFrom(counted.as('counted')).selectAll().orderBy('deviceCount', 'desc').orderBy('tag')
    return paged(ordered, { page, limit })
  },

  async devices({ caller, input: { page, limit, tag, tags = [], match }, db, services }) {
    const wanted = tag === undefined ? tags : [tag, ...tags]
    if (wanted.length === 0) throw invalid('tags: must contain at least one tag')
    const carry =
      match === 'all'
        ? sql<boolean>`devices.tags @> ${wanted}::text[]`
        : sql<boolean>`devices.tags && ${wanted}::text[]`
    const found = db
      .selectFrom('devices')
      .leftJoin('deviceState as state', 'state.deviceId', 'devices.id')
      .where(visibleDevices(caller))
      .where('devices.lifecycle', '<>', 'decommissioned')
      .where(carry)
    const { data, pagination } = await paged(
      found.select(deviceColumns).select(stateColumns).orderBy('devices.hostname').orderBy('devices.id'),
      { page, limit },
    )
    return { data: data.map((row) => asDevice(row, services.clock.now())), pagination }
  },

  async assign({ caller, input: { deviceIds, add, remove }, db, services, audit, afterCommit }) {
    if (add.length === 0 && remove.length === 0) throw invalid('add: must contain a tag when remove is empty')
    const rows = await db
      .selectFrom('devices')
      .innerJoin('organizations', 'organizations.id', 'devices.orgId')
      .select([
        'devices.id',
        'devices.tags',
        'devices.hostname',
        'devices.orgId',
        'devices.siteId',
        'devices.partnerId',
      ])
      .select('organizations.status')
      .where(visibleDevices(caller))
      .where('devices.id', 'in', deviceIds)
      .orderBy('devices.id')
      .forUpdate('devices')
      .execute()
    const seen = new Set(rows.map((row) => row.id))
    const skipped = [...new Set(deviceIds)]
      .filter((id) => !seen.has(id))
      .map((deviceId) => ({ deviceId, reason: 'not found' }))
    const updated: string[] = []
    const events: PartnerEvent[] = []
    const at = services.clock.now()
    for (const { id, tags, hostname, orgId, siteId, partnerId, status } of rows) {
      if (!isWorking({ status })) {
        skipped.push({ deviceId: id, reason: 'organization_suspended' })
        continue
      }
      const after = [...new Set([...tags, ...add])].filter((tag) => !remove.includes(tag))
      if (after.length > tagsMax) {
        skipped.push({ deviceId: id, reason: `would have more than ${tagsMax} tags` })
        continue
      }
      await db.updateTable('devices').set({ tags: after }).where('id', '=', id).execute()
      updated.push(id)
      events.push(liveEvent(deviceChanged, partnerId, { orgId, siteId, deviceId: id, at, changed: 'tags' }))
      audit({ target: id, name: hostname, orgId, partnerId, before: { tags }, after: { tags: after } })
    }
    if (updated.length === 0) audit({ target: deviceIds[0] ?? '', details: { skipped: skipped.length } })
    afterCommit(() => publishEvents(services.redis, events))
    return { updated, skipped }
  },
})
