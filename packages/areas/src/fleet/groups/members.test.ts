import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { sites } from '../../tenancy/tenancy/sites/sites.contract.ts'
import { customFields } from '../custom-fields/custom-fields.contract.ts'
import { devices } from '../devices/devices.contract.ts'
import { groups } from './groups.contract.ts'
import { members } from './members.contract.ts'

describe('a member limited to device groups', async () => {
  const here = await world()
  const orgId = here.org.id
  const [inGroup = ''] = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, 'web-1')
  const [outside = ''] = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, 'db-1')
  const filter = { field: 'hostname', op: 'is', value: 'web-1' } as const
  const { id } = await call(here.orgAdmin, groups.create, { orgId, name: 'Web', filter })
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId } as const
  const limited = await person(tenant, { role: 'Org Admin', deviceGroupIds: [id] })
  const seen = async () => (await call(limited, devices.list, { page: 1 })) as { data: { id: string }[] }

  it('cannot change filters or members of a group, or create and delete groups', async () => {
    const everything = { all: [] }
    const tries = [
      () => call(limited, groups.update, { id, filter: everything }),
      () => call(limited, groups.create, { orgId, name: 'All', filter: everything }),
      () => call(limited, groups.remove, { id }),
      () => call(limited, members.add, { id, deviceIds: [inGroup] }),
      () => call(limited, members.pin, { id, deviceId: inGroup }),
      () => call(limited, members.unpin, { id, deviceId: inGroup }),
      () => call(limited, members.remove, { id, deviceId: inGroup }),
    ]
    for (const attempt of tries) expect(await refusal(attempt())).toMatchObject({ status: 403 })
    expect((await seen()).data.map((device) => device.id)).toEqual([inGroup])
  })

  it('cannot delete a site or a custom field that the filter of a group uses', async () => {
    expect(await refusal(call(limited, sites.remove, { id: here.site.id }))).toMatchObject({ status: 403 })
    const field = { orgId, key: 'room', type: 'text', label: 'Room' } as const
    expect(await refusal(call(limited, customFields.create, field))).toMatchObject({ status: 403 })
    const { id: made } = await call(here.orgAdmin, customFields.create, field)
    expect(await refusal(call(limited, customFields.remove, { id: made }))).toMatchObject({ status: 403 })
    expect(await refusal(call(limited, customFields.update, { id: made, label: 'R' }))).toMatchObject({ status: 403 })
  })

  it('can describe their group, but cannot read about devices that left it', async () => {
    await call(limited, groups.update, { id, description: 'Web servers' })
    await call(here.orgAdmin, members.pin, { id, deviceId: outside })
    await call(here.orgAdmin, members.unpin, { id, deviceId: outside })
    const { data, pagination } = await call(limited, members.log, { id })
    expect(new Set(data.map(({ deviceId }) => deviceId))).toEqual(new Set([inGroup]))
    expect(pagination.total).toBe(data.length)
    const all = await call(here.orgAdmin, members.log, { id })
    expect(all.data.map(({ deviceId }) => deviceId)).toContain(outside)
  })
})
