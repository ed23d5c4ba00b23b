import { asSystem } from '@muster/db/database.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { notify } from './index.ts'
import { notifications } from './notifications.contract.ts'
import { preferences } from './preferences.contract.ts'

const { system } = await testServices()
const { partner, org, orgAdmin, partnerAdmin } = await world()

it('leaves out muted types and lower priorities, for that person alone', async () => {
  expect(await call(orgAdmin, preferences.get, {})).toEqual({ muted: [], minPriority: 'low' })
  await call(orgAdmin, preferences.update, { minPriority: 'high' })
  expect(await call(orgAdmin, preferences.update, { muted: ['device'] })).toEqual({
    muted: ['device'],
    minPriority: 'high',
  })
  expect(await refusal(call(orgAdmin, preferences.update, {}))).toMatchObject({ status: 400 })
  const notice = { partnerId: partner.id, orgId: org.id, audience: {} }
  await asSystem(system, (db) =>
    notify(db, [
      { ...notice, key: '1', type: 'device', subjects: [{ title: 'muted', priority: 'urgent' }] },
      { ...notice, key: '2', type: 'alert', subjects: [{ title: 'low', priority: 'normal' }] },
      { ...notice, key: '3', type: 'alert', subjects: [{ title: 'heard', priority: 'high' }] },
    ]),
  )
  const titles = async (who: typeof orgAdmin) =>
    (await call(who, notifications.list, {})).data.map(({ title }) => title)
  expect(await titles(orgAdmin)).toEqual(['heard'])
  expect((await titles(partnerAdmin)).sort()).toEqual(['heard', 'low', 'muted'])
})
