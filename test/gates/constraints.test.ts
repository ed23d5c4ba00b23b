// Every constraint of the schema has words: a violation is never an internal error. Read from the database, so that a new
// table is judged without being named here.
import { takenWords, things } from '@muster/db/constraint-words.ts'
import { refusalOf } from '@muster/db/violations.ts'
import { testDatabase } from '@muster/testkit/stores.ts'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'

const owner = new pg.Client({ connectionString: testDatabase().ownerUrl })
await owner.connect()
afterAll(() => owner.end())

const { rows: references } = await owner.query<{ constraint: string; table: string; target: string }>(`
  SELECT conname AS constraint, conrelid::regclass::text AS table, confrelid::regclass::text AS target FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace AND contype = 'f' AND conparentid = 0`)
const { rows: checks } = await owner.query<{ constraint: string; table: string }>(`
  SELECT conname AS constraint, conrelid::regclass::text AS table FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace AND contype = 'c' AND conparentid = 0`)
const { rows: indexes } = await owner.query<{ index: string; table: string; columns: string[] }>(`
  SELECT i.indexrelid::regclass::text AS index, i.indrelid::regclass::text AS table,
    ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = i.indexrelid) AS columns
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique AND NOT i.indisprimary AND NOT c.relispartition`)
/** Ids and hashes of secrets are made by the service: no request can give one that is there already. */
const heldByRequests = indexes.filter(
  ({ columns, table }) =>
    table !== 'audit_heads' && !columns.some((column) => column === 'id' || /_hash$|^hash$/.test(column)),
)

const failure = (fields: object, message: string) => Object.assign(new Error(message), fields)
/** What the server says under row-level security, where it names no values. */
const missing = ({ constraint, table, target }: (typeof references)[number]) =>
  failure(
    { code: '23503', constraint, table, detail: `Key is not present in table "${target}".` },
    `insert or update on table "${table}" violates foreign key constraint "${constraint}"`,
  )
const stillUsed = ({ constraint, table, target }: (typeof references)[number]) =>
  failure(
    { code: '23503', constraint, table, detail: `Key is still referenced from table "${table}".` },
    `update or delete on table "${target}" violates foreign key constraint "${constraint}" on table "${table}"`,
  )

describe('deviation 3: a violated constraint says what happened', () => {
  it.each(references)('$constraint names what is missing and what is still in use', (reference) => {
    const { table, target } = reference
    expect(refusalOf(missing(reference))).toMatchObject({
      status: 409,
      message: `The ${things[target]} was deleted at the same time or does not exist`,
    })
    expect(refusalOf(stillUsed(reference))).toMatchObject({
      status: 409,
      message: `The ${things[target]} is still in use: a ${things[table]} refers to it`,
    })
  })

  it.each(heldByRequests)('$index names the field that is taken', ({ index, table }) => {
    const refusal = refusalOf(failure({ code: '23505', constraint: index, table }, 'duplicate key value'))
    expect(refusal).toMatchObject({ status: 409, extra: { field: expect.stringMatching(/^[a-z]\w+$/i) } })
  })

  it.each(checks)('$constraint names the rule', ({ constraint, table }) => {
    const refusal = refusalOf(failure({ code: '23514', constraint, table }, 'violates check constraint'))
    expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining(constraint) })
  })

  it('has words for nothing that the schema does not have', () => {
    const ofQueue = 'job_common_i6'
    const known = new Set([...indexes.map(({ index }) => index), ofQueue])
    expect(Object.keys(takenWords).filter((index) => !known.has(index))).toEqual([])
  })
})

describe('deviation 3: what the server itself says is understood', () => {
  const attempt = async (statements: string): Promise<unknown> => {
    await owner.query('BEGIN')
    try {
      await owner.query(statements)
      return null
    } catch (error) {
      return error
    } finally {
      await owner.query('ROLLBACK')
    }
  }
  const partner = `INSERT INTO partners (id, name, slug) VALUES ('00000000-0000-4000-8000-0000000000aa', 'P', 'race-words')`

  it('of a row that refers to nothing', async () => {
    const error = await attempt(`INSERT INTO organizations (partner_id, name, slug)
      VALUES ('00000000-0000-4000-8000-0000000000ab', 'O', 'o')`)
    expect(refusalOf(error)).toMatchObject({ status: 409, message: expect.stringContaining('The partner was deleted') })
  })

  it('of a row that others refer to', async () => {
    const error = await attempt(`${partner}; INSERT INTO organizations (partner_id, name, slug)
      VALUES ('00000000-0000-4000-8000-0000000000aa', 'O', 'o'); DELETE FROM partners WHERE slug = 'race-words'`)
    expect(refusalOf(error)).toMatchObject({
      status: 409,
      message: expect.stringContaining('The partner is still in use'),
    })
  })

  it('of a value that is taken', async () => {
    const again = partner.replace('aa', 'ac')
    const error = await attempt(`${partner}; ${again}`)
    expect(refusalOf(error)).toMatchObject({ status: 409, message: 'A partner with this slug already exists' })
  })
})
