import { call, refusal } from '@muster/testkit/call.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { scripts } from '../scripts/scripts.contract.ts'
import { categories } from './categories.contract.ts'

const here = await world()
const orgId = here.org.id
const create = (name: string, parentId: string | null = null) =>
  call(here.orgAdmin, categories.create, { orgId, name, parentId })
const scriptIn = (categoryId: string) =>
  call(here.orgAdmin, scripts.create, { orgId, name: 'In', language: 'sh', content: 'id', categoryId })
const get = (id: string) => call(here.orgAdmin, categories.get, { id })

/** A chain of categories, each in the one before. */
async function chain(length: number): Promise<string[]> {
  const ids: string[] = []
  for (let level = 0; level < length; level++) ids.push((await create(`Level ${level}`, ids.at(-1) ?? null)).id)
  return ids
}

describe('categories of scripts', () => {
  it('count the scripts in them that are not deleted', async () => {
    const { id } = await create('Counted')
    await scriptIn(id)
    const gone = await scriptIn(id)
    await call(here.orgAdmin, scripts.remove, { id: gone.id })
    expect(await get(id)).toMatchObject({ scriptCount: 1, orgId, parentId: null })
  })

  it('are at most five deep, also when a category with others in it moves', async () => {
    const ids = await chain(5)
    expect(await refusal(create('Level 5', ids.at(-1)))).toMatchObject({ status: 400 })
    const [, second = ''] = await chain(2)
    const [top = ''] = await chain(2)
    const move = (id: string, parentId: string) => call(here.orgAdmin, categories.update, { id, parentId })
    expect(await refusal(move(top, ids[3] ?? ''))).toMatchObject({ status: 400 })
    expect(await move(top, second)).toMatchObject({ parentId: second })
  })

  it('are not in themselves', async () => {
    const [first = '', , third = ''] = await chain(3)
    for (const parentId of [first, third]) {
      const told = await refusal(call(here.orgAdmin, categories.update, { id: first, parentId }))
      expect(told).toMatchObject({ status: 400, message: 'parentId: a category cannot be in itself' })
    }
  })

  it('leave their scripts and categories to the one above', async () => {
    const [first = '', second = '', third = ''] = await chain(3)
    const script = await scriptIn(second)
    await call(here.orgAdmin, categories.remove, { id: second })
    expect(await call(here.orgAdmin, scripts.get, { id: script.id })).toMatchObject({ categoryId: first })
    expect(await get(third)).toMatchObject({ parentId: first })
    expect(await refusal(get(second))).toMatchObject({ status: 404 })
    await call(here.orgAdmin, categories.remove, { id: first })
    expect(await call(here.orgAdmin, scripts.get, { id: script.id })).toMatchObject({ categoryId: null })
  })

  it('of the whole partner are not shown to organizations', async () => {
    const { id } = await call(here.partnerAdmin, categories.create, { name: 'Wide' })
    expect(await refusal(get(id))).toMatchObject({ status: 404 })
    const tenant = { scope: 'partner', partnerId: here.partner.id } as const
    const selected = await person(tenant, { role: 'Partner Technician', orgAccess: 'selected', orgIds: [orgId] })
    expect(await call(selected, categories.get, { id })).toMatchObject({ orgId: null })
    const told = await refusal(call(selected, categories.update, { id, name: 'Mine' }))
    expect(told).toMatchObject({ status: 403 })
    const inWide = call(here.orgAdmin, categories.create, { orgId, name: 'In', parentId: id })
    expect(await refusal(inWide)).toMatchObject({ status: 400 })
  })
})
