// Cases D1 and D2: every table in the database, including those added later, isolates tenants by itself.
import { ownDatabase } from '@muster/testkit/stores.ts'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { policiesOf, privilegesOf, type Table, tablesOf } from './pg-catalog.ts'
import { imaginaryTenant, insertSamples, type Tenant } from './sample-rows.ts'
import { looseKeys, open, otherwiseOwned } from './tables.exceptions.ts'

const database = await ownDatabase()
const owner = new pg.Client({ connectionString: database.ownerUrl })
const app = new pg.Client({ connectionString: database.appUrl })
await Promise.all([owner.connect(), app.connect()])
afterAll(async () => {
  await Promise.all([owner.end(), app.end()])
  await database.drop()
})

const tables = await tablesOf(owner)
const policies = (await policiesOf(owner)).filter(
  ({ roles }) => roles.includes('muster_app') || roles.includes('public'),
)
const may = await privilegesOf(owner, 'muster_app')
const guarded = tables.filter(({ name }) => !Object.hasOwn(open, name))
const [mine, theirs] = [imaginaryTenant(tables), imaginaryTenant(tables)]
await insertSamples(owner, guarded, mine)
await insertSamples(owner, guarded, theirs)

describe('the catalog', () => {
  it('every table has forced row-level security, or is listed as open with a reason', () => {
    const unsecured = guarded.filter(({ secured, forced }) => !secured || !forced)
    expect(unsecured.map(({ name }) => name)).toEqual([])
    const gone = Object.keys({ ...open, ...otherwiseOwned }).filter(
      (name) => !tables.some((table) => table.name === name),
    )
    expect(gone).toEqual([])
  })

  it('requests can at most read open tables', () => {
    for (const name of Object.keys(open)) expect([...(may.get(name) ?? [])].filter((p) => p !== 'SELECT')).toEqual([])
  })

  it('every privilege of requests on a table has a policy, with a check for writes', () => {
    for (const { name } of guarded) {
      for (const privilege of may.get(name) ?? []) {
        const its = policies.filter(
          ({ table, command }) => table === name && (command === 'ALL' || command === privilege),
        )
        expect(its.length, `${privilege} on ${name} has no policy`).toBeGreaterThan(0)
        const writes = privilege === 'INSERT' || privilege === 'UPDATE'
        expect(its.filter(({ check }) => writes && check === null)).toEqual([])
      }
    }
  })

  it('no policy lets requests see all rows', () => {
    expect(policies.filter(({ using }) => using?.trim() === 'true')).toEqual([])
  })

  it('requests may not truncate, reference or create triggers on any table', () => {
    for (const [name, privileges] of may) {
      const more = [...privileges].filter((p) => !['SELECT', 'INSERT', 'UPDATE', 'DELETE'].includes(p))
      expect(more, name).toEqual([])
    }
  })

  it('every tenant table has partner_id and org_id, or is listed with a reason', () => {
    const lacking = guarded
      .filter(({ name }) => !Object.hasOwn(otherwiseOwned, name))
      .filter(({ columns }) => !['partner_id', 'org_id'].every((key) => columns.some(({ name }) => name === key)))
    expect(lacking.map(({ name }) => name)).toEqual([])
  })

  it('foreign keys between tenant tables include the tenant, so no row can refer to another tenant', async () => {
    const { rows } = await owner.query<{ key: string; target: string }>(`
      SELECT c.conrelid::regclass || '.' || a.attname AS key, c.confrelid::regclass::text AS target
      FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
      WHERE c.contype = 'f' AND array_length(c.conkey, 1) = 1 AND c.conparentid = 0 AND c.connamespace = 'public'::regnamespace`)
    const loose = rows.filter(
      ({ target }) => !Object.hasOwn(open, target) && target !== 'partners' && target !== 'users',
    )
    expect(loose.map(({ key }) => key).sort()).toEqual(Object.keys(looseKeys).sort())
  })

  // The one exception gives no access to data: it lets them connect when all ordinary connections are in use.
  it('neither login has special attributes, owns a table or inherits from another role', async () => {
    const { rows } = await owner.query(`
      SELECT rolname FROM pg_roles WHERE rolname IN ('muster_app', 'muster_system') AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication)
      UNION ALL SELECT rolname FROM pg_roles r JOIN pg_class c ON c.relowner = r.oid
        WHERE rolname IN ('muster_app', 'muster_system') AND c.relnamespace = 'public'::regnamespace
      UNION ALL SELECT rolname FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member
        WHERE rolname IN ('muster_app', 'muster_system') AND m.roleid <> 'pg_use_reserved_connections'::regrole`)
    expect(rows).toEqual([])
  })

  it('logins can access partitions only through their parents', async () => {
    const { rows } = await owner.query(`
      SELECT relname FROM pg_class, unnest(ARRAY['muster_app', 'muster_system']) AS login, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p
      WHERE relispartition AND relkind IN ('r', 'p') AND has_table_privilege(login, oid, p)`)
    expect(rows).toEqual([])
  })

  it('views run with the rights of the caller, and requests cannot read materialized views', async () => {
    const { rows } = await owner.query(`
      SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
        AND ((relkind = 'v' AND NOT coalesce('security_invoker=true' = ANY (reloptions), false))
          OR (relkind = 'm' AND has_table_privilege('muster_app', oid, 'SELECT')))`)
    expect(rows).toEqual([])
  })

  it('SECURITY DEFINER functions have a fixed search path, and requests cannot execute them', async () => {
    const { rows } = await owner.query(`
      SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef
        AND (NOT EXISTS (SELECT FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%')
          OR has_function_privilege('public', oid, 'EXECUTE') OR has_function_privilege('muster_app', oid, 'EXECUTE'))`)
    expect(rows).toEqual([])
  })
})

interface Outcome {
  readonly rows: number
  readonly refused: string | null
}
/** Runs one statement as muster_app with the given reach and rolls it back. */
async function attempt(
  reach: Readonly<Record<string, string>>,
  statement: string,
  values: unknown[] = [],
): Promise<Outcome> {
  await app.query('BEGIN')
  try {
    for (const [name, value] of Object.entries(reach)) {
      await app.query('SELECT set_config($1, $2, true)', [`muster.${name}`, value])
    }
    const { rowCount } = await app.query(statement, values)
    return { rows: rowCount ?? 0, refused: null }
  } catch (error) {
    return { rows: 0, refused: error instanceof Error ? error.message : String(error) }
  } finally {
    await app.query('ROLLBACK')
  }
}

/** A column to select, or to set to its own value. */
const anyColumn = ({ columns }: Table) => columns.find(({ name }) => name === 'id') ?? columns[0] ?? { name: 'id' }
const hasPartner = ({ columns }: Table) => columns.some(({ name }) => name === 'partner_id')
const hasOrg = ({ columns }: Table) => columns.some(({ name }) => name === 'org_id')

describe.each(guarded.map((table) => ({ table, name: table.name })))('$name', ({ table, name }) => {
  const column = anyColumn(table).name

  it('shows no row and accepts no write without a caller', async () => {
    expect((await attempt({}, `SELECT ${column} FROM ${name}`)).rows).toBe(0)
    expect((await attempt({}, `UPDATE ${name} SET ${column} = ${column}`)).rows).toBe(0)
    expect((await attempt({}, `DELETE FROM ${name}`)).rows).toBe(0)
    expect((await attempt({}, `INSERT INTO ${name} DEFAULT VALUES`)).refused).not.toBeNull()
  })

  const who = (tenant: Tenant) => ({ user: tenant.user, home_partner: tenant.partner })
  const reaches = {
    partner: { partner: mine.partner, ...who(mine) },
    selection: { orgs: `{${mine.org}}`, ...who(mine) },
    organization: { org: mine.org, ...who(mine) },
  }

  it.each(Object.entries(reaches))(
    'shows a caller that reaches its %s no row of another tenant',
    async (_kind, reach) => {
      const seen = await attempt(reach, `SELECT ${column} FROM ${name}`)
      expect(seen.rows).toBeLessThanOrEqual(1)
      if (!hasPartner(table)) return
      const other = await attempt(reach, `SELECT ${column} FROM ${name} WHERE partner_id = $1`, [theirs.partner])
      expect(other.rows).toBe(0)
      const readable = may.get(name)?.has('SELECT') && seen.refused === null
      if (readable && hasOrg(table)) expect(seen.rows).toBe(1)
    },
  )

  it.each(Object.entries(reaches))(
    'a caller that reaches its %s changes no row of another tenant',
    async (_kind, reach) => {
      if (!hasPartner(table)) return
      const where = 'WHERE partner_id = $1'
      const partner = [theirs.partner]
      expect((await attempt(reach, `UPDATE ${name} SET partner_id = partner_id ${where}`, partner)).rows).toBe(0)
      expect((await attempt(reach, `DELETE FROM ${name} ${where}`, partner)).rows).toBe(0)
      const moved = hasOrg(table) ? 'partner_id = $1, org_id = $2' : 'partner_id = $1'
      const values = hasOrg(table) ? [theirs.partner, theirs.org] : [theirs.partner]
      expect((await attempt(reach, `UPDATE ${name} SET ${moved}`, values)).rows).toBe(0)
    },
  )
})
