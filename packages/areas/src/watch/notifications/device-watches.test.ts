import { asSystem } from '@muster/db/database.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { tellReturns } from './device-returns.followers.ts'
import { deviceWatches } from './device-watches.contract.ts'
import { notifications } from './notifications.contract.ts'

const { system } = await testServices()
const here = await world()
const ofOrg = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
const place = { orgId: here.org.id, siteId: here.site.id }
const [first = '', second = ''] = await enrolled(here.partnerAdmin, place, 'returning', 'other')
for (const id of [first, second]) await setState(id, { status: 'offline' })
const member = () => person(ofOrg, { role: 'Org Admin' })
const returned = (...ids: string[]) => asSystem(system, (db) => tellReturns(db, ids))
const titlesOf = async (who: Awaited<ReturnType<typeof member>>) =>
  (await call(who, notifications.list, { type: 'device' })).data.map(({ title, count }) => [title, count])

it('tells a person once when a device is online again', async () => {
  const [one, two] = [await member(), await member()]
  expect(await call(one, deviceWatches.create, { id: first })).toEqual({ deviceId: first, watching: true })
  expect(await call(one, deviceWatches.create, { id: first })).toEqual({ deviceId: first, watching: true })
  expect(await call(two, deviceWatches.get, { id: first })).toEqual({ deviceId: first, watching: false })
  await returned(second)
  expect(await titlesOf(one)).toEqual([])
  await returned(first, second)
  await returned(first)
  expect(await titlesOf(one)).toEqual([['returning is online again', 1]])
  expect(await titlesOf(two)).toEqual([])
  expect(await call(one, deviceWatches.get, { id: first })).toMatchObject({ watching: false })
})

it('stops when the person asks, and says nothing to a person who no longer sees the device', async () => {
  const [stopped, limited] = [await member(), await person(ofOrg, { role: 'Org Admin', siteIds: [here.site.id] })]
  await call(stopped, deviceWatches.create, { id: first })
  await call(stopped, deviceWatches.remove, { id: first })
  await call(limited, deviceWatches.create, { id: first })
  await system.query('UPDATE devices SET site_id = NULL WHERE id = $1', [first])
  await returned(first)
  expect([await titlesOf(stopped), await titlesOf(limited)]).toEqual([[], []])
  await system.query('UPDATE devices SET site_id = $2 WHERE id = $1', [first, here.site.id])
})

it('lists the devices that a person waits for and sees', async () => {
  const [one, limited] = [await member(), await person(ofOrg, { role: 'Org Admin', siteIds: [here.site.id] })]
  for (const who of [one, limited]) for (const id of [first, second]) await call(who, deviceWatches.create, { id })
  const namesFor = async (who: typeof one) => (await call(who, deviceWatches.list, {})).data.map(({ name }) => name)
  expect(await namesFor(one)).toEqual(['other', 'returning'])
  await system.query('UPDATE devices SET site_id = NULL WHERE id = $1', [first])
  expect(await namesFor(limited)).toEqual(['other'])
  await system.query('UPDATE devices SET site_id = $2 WHERE id = $1', [first, here.site.id])
  await returned(first, second)
  expect(await namesFor(one)).toEqual([])
})

it('answers 409 for a device that is online, and 404 for one out of reach', async () => {
  await setState(second, { status: 'online' })
  expect(await refusal(call(await member(), deviceWatches.create, { id: second }))).toMatchObject({ status: 409 })
  const other = await world()
  expect(await refusal(call(other.orgAdmin, deviceWatches.create, { id: first }))).toMatchObject({ status: 404 })
})
