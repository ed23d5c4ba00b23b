import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { tags } from './tags.contract.ts'

describe('tags', async () => {
  const here = await world()
  const elsewhere = await world()
  const [database = ''] = await enrolled(here.partnerAdmin, { orgId: here.org.id }, 'db-1', 'web-1')
  await call(here.orgAdmin, tags.assign, { deviceIds: [database], add: ['database'] })

  it('are counted and found within the own tenant only', async () => {
    const counted = await call(here.orgAdmin, tags.list, { search: 'data' })
    expect(counted.data).toEqual([{ tag: 'database', deviceCount: 1 }])
    expect((await call(here.orgAdmin, tags.devices, { tags: 'database' })).data.map((found) => found.hostname)).toEqual(
      ['db-1'],
    )
    expect((await call(elsewhere.orgAdmin, tags.list, {})).data).toEqual([])
    expect((await call(elsewhere.orgAdmin, tags.assign, { deviceIds: [database], add: ['spy'] })).skipped).toEqual([
      { deviceId: database, reason: 'not found' },
    ])
  })
})
