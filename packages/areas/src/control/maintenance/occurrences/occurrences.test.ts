import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { windows } from '../windows.contract.ts'
import { occurrences } from './occurrences.contract.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [device = ''] = await enrolled(here.orgAdmin, { orgId, siteId: here.site.id }, 'in-window')
const create = (more: object) =>
  call(here.orgAdmin, windows.create, { orgId, name: 'Patch night', durationMinutes: 120, ...more })

/** A local time some days from now. */
const inDays = (days: number, time = '22:00') =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T${time}`

describe('an occurrence', () => {
  it('counts the devices that enroll while it is active, and none after its end', async () => {
    const made = await call(here.partnerAdmin, windows.create, {
      orgId: here.otherOrg.id,
      name: 'Patch night',
      startsAt: inDays(2),
      durationMinutes: 120,
    })
    const id = made.nextOccurrence?.id ?? ''
    const count = async () => (await call(here.partnerAdmin, occurrences.get, { id })).deviceCount
    const enroll = (name: string) => enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, name)
    await call(here.partnerAdmin, occurrences.start, { id })
    expect(await count()).toBe(0)
    await enroll('during')
    expect(await count()).toBe(1)
    await call(here.partnerAdmin, occurrences.end, { id })
    await enroll('after')
    expect(await count()).toBe(1)
  })

  it('can be started early and ended early, once', async () => {
    const made = await create({ startsAt: inDays(2) })
    const id = made.nextOccurrence?.id ?? ''
    expect(await refusal(call(here.orgAdmin, occurrences.end, { id }))).toMatchObject({ status: 409 })
    const started = await call(here.orgAdmin, occurrences.start, { id })
    expect(started).toMatchObject({ status: 'active', deviceCount: 1 })
    const lasts = Date.parse(started.endsAt) - Date.parse(started.startedAt ?? '')
    expect(Math.round(lasts / 60_000)).toBe(120)
    expect(started.startsAt).toBe(started.startedAt)
    expect(await refusal(call(here.orgAdmin, occurrences.start, { id }))).toMatchObject({ status: 409 })
    expect((await call(here.orgAdmin, occurrences.active, { deviceId: device })).data.map((each) => each.id)).toContain(
      id,
    )
    const ended = await call(here.orgAdmin, occurrences.end, { id })
    expect(ended).toMatchObject({ status: 'completed', endedBy: 'person', startsAt: started.startsAt })
    expect(await call(here.orgAdmin, windows.get, { id: made.id })).toMatchObject({ status: 'completed' })
    expect((await auditOf(id)).map(({ action }) => action)).toEqual([
      'maintenance_occurrence.start',
      'maintenance_occurrence.end',
    ])
    const { rows } = await system.query(`SELECT type FROM events WHERE data ->> 'occurrenceId' = $1 ORDER BY seq`, [id])
    expect(rows.map(({ type }) => type)).toEqual(['maintenance.started', 'maintenance.ended'])
  })

  it('is listed by time, status and place', async () => {
    const made = await create({ startsAt: inDays(5), targets: { deviceIds: [device] } })
    const id = made.nextOccurrence?.id
    const listed = async (asked: object) =>
      (await call(here.orgAdmin, occurrences.list, { orgId, ...asked })).data.map((each) => each.id)
    const [from, to] = [`${inDays(5, '00:00')}:00Z`, `${inDays(6, '12:00')}:00Z`]
    expect(await listed({ from, to, siteId: here.site.id, status: 'scheduled' })).toContain(id)
    expect(await listed({ from, to, deviceId: device })).toContain(id)
    expect(await listed({ from: to })).not.toContain(id)
    expect(await listed({ status: 'completed' })).not.toContain(id)
    const ofWindow = async (asked: object) =>
      (await call(here.orgAdmin, windows.occurrences, { id: made.id, ...asked })).data.map((each) => each.id)
    expect(await ofWindow({ orgId, siteId: here.site.id, deviceId: device, status: 'scheduled' })).toEqual([id])
    expect(await ofWindow({ deviceId: here.site.id })).toEqual([])
    expect((await call(here.orgAdmin, occurrences.active, { status: 'scheduled' })).data).toEqual([])
    const reversed = { orgId, from: to, to: from }
    const refused = await Promise.all([
      refusal(call(here.orgAdmin, occurrences.list, reversed)),
      refusal(call(here.orgAdmin, occurrences.active, reversed)),
      refusal(call(here.orgAdmin, windows.list, reversed)),
      refusal(call(here.orgAdmin, windows.occurrences, { id: made.id, from: to, to: from })),
    ])
    for (const each of refused) expect(each).toMatchObject({ status: 400, message: 'from: must be before to' })
    expect(await call(here.orgAdmin, occurrences.get, { id: id ?? '' })).toMatchObject({ id, windowId: made.id })
  })
})
