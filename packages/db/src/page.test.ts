import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { asSystem } from './database.ts'
import { emptyPage, paged, pagedSql, upTo } from './page.ts'

describe('a page of a list', async () => {
  const { system } = await testServices()
  const { org, partner } = await world()
  const names = ['Aachen', 'Bonn', 'Celle', 'Dresden', 'Erfurt']
  const ids = await asSystem(system, (db) =>
    db
      .insertInto('sites')
      .values(names.map((name) => ({ name, orgId: org.id, partnerId: partner.id })))
      .returning('id')
      .execute(),
  )
  const all = ids.map(({ id }) => id)

  it('contains the rows of its number and the total', async () => {
    const pageOf = (page: number) =>
      asSystem(system, (db) =>
        paged(db.selectFrom('sites').where('id', 'in', all).select('name').orderBy('name'), { page, limit: 2 }),
      )
    expect(await pageOf(2)).toEqual({
      data: [{ name: 'Celle' }, { name: 'Dresden' }],
      pagination: { page: 2, limit: 2, total: 5 },
    })
    expect(await pageOf(4)).toEqual({ data: [], pagination: { page: 4, limit: 2, total: 5 } })
  })

  it('is the same for a statement written as SQL', async () => {
    const rows = sql<{ name: string }>`SELECT name FROM sites WHERE id = ANY (${all}::uuid[])`
    const found = await asSystem(system, (db) => pagedSql(db, { rows, orderBy: sql`name DESC` }, { page: 1, limit: 1 }))
    expect(found).toEqual({ data: [{ name: 'Erfurt' }], pagination: { page: 1, limit: 1, total: 5 } })
  })

  it('has no rows for a caller that reaches none', () => {
    expect(emptyPage({ page: 3, limit: 10 })).toEqual({ data: [], pagination: { page: 3, limit: 10, total: 0 } })
  })

  it('returns a row to continue at only if another page follows', () => {
    expect(upTo(2, ['a', 'b', 'c'])).toEqual({ data: ['a', 'b'], last: 'b' })
    expect(upTo(2, ['a', 'b'])).toEqual({ data: ['a', 'b'], last: null })
  })
})
