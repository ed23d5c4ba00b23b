import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { scripts } from '../scripts/scripts.contract.ts'
import { tags } from './tags.contract.ts'

const here = await world()
const orgId = here.org.id
const script = (names: string[]) =>
  call(here.orgAdmin, scripts.create, { orgId, name: 'Tagged', language: 'sh', content: 'id', tags: names })
const found = async (name: string) => (await call(here.orgAdmin, tags.list, { search: name })).data

it('a tag that a script names first is made, once', async () => {
  await Promise.all([script(['first']), script(['first', 'second'])])
  expect(await found('first')).toMatchObject([
    { name: 'first', scriptCount: 2, orgId, createdBy: here.orgAdmin.userId },
  ])
  const { id } = await script([])
  await call(here.orgAdmin, scripts.update, { id, tags: ['third'] })
  expect(await found('third')).toMatchObject([{ scriptCount: 1 }])
})

it('a tag exists once per owner', async () => {
  const given = { orgId, name: 'once' }
  await call(here.orgAdmin, tags.create, given)
  expect(await refusal(call(here.orgAdmin, tags.create, given))).toMatchObject({ status: 409 })
  expect(await call(here.partnerAdmin, tags.create, { name: 'once' })).toMatchObject({ orgId: null, scriptCount: 0 })
})

it('a deleted tag is removed from the scripts of its owner alone', async () => {
  const own = await script(['gone', 'kept'])
  const wide = await call(here.partnerAdmin, scripts.create, {
    ...{ name: 'Wide', language: 'sh', content: 'id' },
    tags: ['gone'],
  })
  const [tag] = await found('gone')
  await call(here.orgAdmin, tags.remove, { id: tag?.id ?? '' })
  expect(await call(here.orgAdmin, scripts.get, { id: own.id })).toMatchObject({ tags: ['kept'] })
  expect(await call(here.partnerAdmin, scripts.get, { id: wide.id })).toMatchObject({ tags: ['gone'] })
  const [record] = await auditOf(tag?.id ?? '')
  expect(record).toMatchObject({ action: 'script_tag.delete', details: { scripts: 1 } })
})
