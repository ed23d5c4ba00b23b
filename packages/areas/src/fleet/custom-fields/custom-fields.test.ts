import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { customFields } from './custom-fields.contract.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const ids = await enrolled(here.partnerAdmin, { orgId }, ...Array.from({ length: 6 }, (_, index) => `field-${index}`))
const text = { type: 'text' as const, label: 'Field' }

describe('a value set while its field is deleted', () => {
  it.each([
    { of: 'the organization', who: here.orgAdmin, place: { orgId } },
    { of: 'the partner', who: here.partnerAdmin, place: {} },
  ])('leaves no value of a field of $of', async ({ who, place }) => {
    for (let round = 0; round < 4; round++) {
      const key = `gone_${round}`
      const { id } = await call(who, customFields.create, { ...place, ...text, key })
      const set = (device: string) =>
        call(here.orgAdmin, customFields.setValues, { id: device, values: { [key]: 'x' } })
      const outcomes = await Promise.allSettled([
        ...ids.slice(0, 3).map(set),
        call(who, customFields.remove, { id }),
        ...ids.slice(3).map(set),
      ])
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason.status).toBe(400)
      const { rowCount } = await system.query('SELECT FROM devices WHERE custom_fields ? $1', [key])
      expect(rowCount).toBe(0)
    }
  })

  it('can be removed when an earlier version left it behind', async () => {
    const [id = ''] = ids
    await system.query(`UPDATE devices SET custom_fields = '{"orphan": "x"}' WHERE id = $1`, [id])
    expect(await call(here.orgAdmin, customFields.setValues, { id, values: { orphan: null } })).toMatchObject({
      values: {},
    })
    const told = refusal(call(here.orgAdmin, customFields.setValues, { id, values: { orphan: 'y' } }))
    expect(await told).toMatchObject({ status: 400 })
  })
})

describe('the key of a custom field', () => {
  it('has one type in the partner and its organizations, in any order of creation', async () => {
    await call(here.partnerAdmin, customFields.create, { key: 'floor', type: 'number', label: 'Floor' })
    const second = { orgId, key: 'floor', type: 'text' as const, label: 'Floor' }
    expect(await refusal(call(here.orgAdmin, customFields.create, second))).toMatchObject({
      status: 409,
      message: 'The partner has a field floor of the type number. Use this type or another key',
    })
    await call(here.orgAdmin, customFields.create, { orgId, key: 'desk', ...text })
    const wider = { key: 'desk', type: 'boolean' as const, label: 'Desk' }
    expect(await refusal(call(here.partnerAdmin, customFields.create, wider))).toMatchObject({ status: 409 })
  })

  it('has one type when both are created at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const key = `both_${round}`
      const outcomes = await Promise.allSettled([
        call(here.partnerAdmin, customFields.create, { key, type: 'number', label: 'Both' }),
        call(here.orgAdmin, customFields.create, { orgId, key, ...text }),
      ])
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    }
  })
})
