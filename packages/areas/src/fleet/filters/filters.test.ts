import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { filters, type View } from './filters.contract.ts'

describe('saved filters', async () => {
  const here = await world()
  const elsewhere = await world()
  await enrolled(here.partnerAdmin, { orgId: here.org.id }, 'web-1', 'db-1')

  it('show to their owner until they are shared, and never to another tenant', async () => {
    const filter = { field: 'hostname', op: 'startsWith', value: 'web' }
    const saved = await call(here.orgAdmin, filters.create, { name: 'Web', filter })
    expect(await call(here.orgAdmin, filters.previewSaved, { id: saved.id })).toMatchObject({ total: 1 })
    expect(await refusal(call(here.partnerViewer, filters.get, { id: saved.id }))).toMatchObject({ status: 404 })
    await call(here.orgAdmin, filters.update, { id: saved.id, shared: true })
    expect(await call(here.partnerViewer, filters.get, { id: saved.id })).toMatchObject({ shared: true })
    expect(await refusal(call(here.partnerAdmin, filters.update, { id: saved.id, name: 'Mine' }))).toMatchObject({
      status: 403,
    })
    expect(await refusal(call(elsewhere.orgAdmin, filters.get, { id: saved.id }))).toMatchObject({ status: 404 })
    expect(await call(here.orgAdmin, filters.remove, { id: saved.id })).toEqual({ success: true })
    expect((await call(here.orgAdmin, filters.fields, {})).fields.length).toBeGreaterThanOrEqual(60)
  })

  it('keep columns and order as a view, and refuse views that no list can show', async () => {
    const shapeless = call(here.orgAdmin, filters.create, { name: 'x', filter: { and: [] } as never })
    expect(await refusal(shapeless)).toMatchObject({ message: expect.stringContaining('{ field, op, value }') })
    const filter = { all: [] }
    const view: View = { columns: ['hostname', 'custom.rack', 'lastSeenAt'], sort: 'lastSeen', sortDir: 'desc' }
    const saved = await call(here.orgAdmin, filters.create, { name: 'Everything', filter, view })
    expect(saved).toMatchObject({ filter, view })
    const plain = await call(here.orgAdmin, filters.create, { name: 'Only a filter', filter })
    const named = async (hasView: boolean) =>
      (await call(here.orgAdmin, filters.list, { hasView, limit: 100 })).data.map(({ id }) => id)
    expect(await named(true)).toEqual([saved.id])
    expect(await named(false)).toContain(plain.id)
    expect((await call(here.orgAdmin, filters.previewSaved, { id: saved.id })).total).toBeGreaterThan(0)
    const columns = ['hostname']
    expect(await call(here.orgAdmin, filters.update, { id: saved.id, view: { columns } })).toMatchObject({
      filter,
      view: { columns, sort: 'hostname', sortDir: 'asc' },
    })
    for (const wrong of [{ columns: [] }, { columns: ['a', 'a'] }, { columns: ['<b>'] }, { columns, sort: 'cpu' }]) {
      const refused = await refusal(call(here.orgAdmin, filters.update, { id: saved.id, view: wrong as never }))
      expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('view.') })
    }
    expect(await call(here.orgAdmin, filters.update, { id: saved.id, view: null })).toMatchObject({ view: null })
  })
})
