import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPool } from '@muster/db/pool.ts'
import { createLog } from '@muster/kit/log.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { ownDatabase } from '@muster/testkit/stores.ts'
import pg from 'pg'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { asCsv, asJson, type ExportedLog } from '../export-format.ts'
import { chainAudit, dropAuditBefore, ensureAuditPartitions, signAuditHeads } from './chain.jobs.ts'
import { headKeys, type SignedHead } from './signed-heads.ts'
import { verifyDatabase } from './verify-database.ts'
import { ExportError, verifyExport } from './verify-export.ts'

const database = await ownDatabase()
const system = createPool({ url: database.systemUrl, name: 'test', max: 4 })
/** A user with all rights in the database, such as an intruder may have. */
const superuser = new pg.Client({ connectionString: database.ownerUrl })
await superuser.connect()
afterAll(async () => {
  await Promise.all([system.end(), superuser.end()])
  await database.drop()
})

const keyring = createKeyring()
const keys = headKeys(keyring)
const log = createLog('test', 'silent')
const sign = () => signAuditHeads(system, keyring, log)
const verify = () => verifyDatabase(system, keys)

let partner = ''
beforeEach(async () => {
  await superuser.query('TRUNCATE audit_logs, audit_heads, audit_chains')
  const { rows } = await superuser.query<{ id: string }>(
    `INSERT INTO partners (name, slug, status) VALUES ('P', gen_random_uuid()::text, 'active') RETURNING id`,
  )
  partner = rows[0]?.id ?? ''
})

async function record(count: number, at = 'now()', owner: string | null = partner) {
  await system.query(
    `INSERT INTO audit_logs (at, partner_id, actor_type, action, resource_type, resource_id, resource_name, details, changed_fields)
     SELECT ${at} + i * interval '1 microsecond', $1, 'user', 'site.update', 'site', 'r' || i, 'Näme "' || i || '"',
       jsonb_build_object('z', i, 'a', jsonb_build_object('y', 1.50, 'x', 'é')), ARRAY['name'] FROM generate_series(1, $2::int) i`,
    [owner, count],
  )
}
const faultOf = async () => (await verify()).chains.find(({ fault }) => fault !== null)?.fault

describe('the audit chain', () => {
  it('numbers the records of each partner without gaps and in order, with several writers', async () => {
    await record(2_300)
    await record(20, 'now()', null)
    await Promise.all([chainAudit(system), chainAudit(system), chainAudit(system)])
    await chainAudit(system)
    const { rows } = await system.query<{ count: number; last: number }>(
      'SELECT count(DISTINCT chain_sequence) AS count, max(chain_sequence) AS last FROM audit_logs WHERE partner_id = $1',
      [partner],
    )
    expect(rows).toEqual([{ count: 2_300, last: 2_300 }])
    const { chains, waiting } = await verify()
    expect(waiting).toBe(0)
    expect(chains.map(({ records, fault }) => ({ records, fault })).sort((a, b) => a.records - b.records)).toEqual([
      { records: 20, fault: null },
      { records: 2_300, fault: null },
    ])
  })

  it('appends a record that commits late with an earlier time than its neighbors', async () => {
    const late = await system.connect()
    await late.query('BEGIN')
    await late.query(
      `INSERT INTO audit_logs (partner_id, actor_type, action, resource_type) VALUES ($1, 'user', 'site.create', 'site')`,
      [partner],
    )
    await record(3)
    expect(await chainAudit(system)).toBe(3)
    await late.query('COMMIT')
    late.release()
    expect(await chainAudit(system)).toBe(1)
    expect((await verify()).chains).toMatchObject([{ records: 4, fault: null }])
  })

  it('continues after the records that were chained before', async () => {
    for (const count of [1, 5, 2]) {
      await record(count)
      await chainAudit(system)
      await sign()
    }
    expect((await verify()).chains).toMatchObject([{ records: 8, to: 8, signedTo: 8, fault: null }])
  })
})

describe('tampering by a superuser is detected and the first bad record named, when', () => {
  beforeEach(async () => {
    await record(10)
    await chainAudit(system)
    await sign()
  })
  const at = 'WHERE chain_sequence ='

  it.each([
    ['the action', `action = 'site.delete'`],
    ['the actor', `actor_email = 'intruder@example.test'`],
    ['the time, by a microsecond', `at = at + interval '1 microsecond'`],
    ['the details', `details = jsonb_set(details, '{z}', '99')`],
    ['the changed fields', `changed_fields = '{}'`],
    ['the result', `result = 'denied'`],
  ])('a record is changed: %s', async (_what, change) => {
    await superuser.query(`UPDATE audit_logs SET ${change} ${at} 4`)
    expect(await faultOf()).toMatchObject({ kind: 'altered', sequence: 4 })
  })

  it('a record is deleted', async () => {
    await superuser.query(`DELETE FROM audit_logs ${at} 6`)
    expect(await faultOf()).toMatchObject({ kind: 'missing', sequence: 6 })
  })

  it('the first record is deleted', async () => {
    await superuser.query(`DELETE FROM audit_logs ${at} 1`)
    expect(await faultOf()).toMatchObject({ kind: 'missing', sequence: 1 })
  })

  it('two records are swapped', async () => {
    await superuser.query(`UPDATE audit_logs SET chain_sequence = 13 - chain_sequence WHERE chain_sequence IN (6, 7)`)
    expect(await faultOf()).toMatchObject({ sequence: 6 })
  })

  it('a record is inserted', async () => {
    await superuser.query(
      `INSERT INTO audit_logs (partner_id, actor_type, action, resource_type, chain_sequence, chain_previous, chain_hash)
       SELECT partner_id, 'user', 'user.login', 'user', chain_sequence, chain_previous, chain_hash FROM audit_logs ${at} 5`,
    )
    expect(await faultOf()).toMatchObject({ sequence: 5 })
  })

  it('the end is truncated', async () => {
    await superuser.query(`DELETE FROM audit_logs ${at} 10`)
    await superuser.query(`DELETE FROM audit_logs ${at} 9`)
    expect(await faultOf()).toMatchObject({ kind: 'truncated', sequence: 9 })
  })

  it('the end is truncated and the stored end reset; the signed head shows it', async () => {
    await superuser.query(`DELETE FROM audit_logs ${at} 10`)
    await superuser.query(
      `UPDATE audit_chains c SET sequence = 9, hash = a.chain_hash FROM audit_logs a WHERE a.chain_sequence = 9`,
    )
    expect(await faultOf()).toMatchObject({ kind: 'truncated', sequence: 10 })
  })

  it('everything is deleted', async () => {
    await superuser.query('DELETE FROM audit_logs')
    expect(await faultOf()).toMatchObject({ kind: 'truncated', sequence: 1 })
  })

  it('the whole chain is rebuilt around a change; the signed head shows it', async () => {
    await superuser.query(`UPDATE audit_logs SET action = 'site.delete', chain_sequence = NULL ${at} 3`)
    await superuser.query('UPDATE audit_logs SET chain_sequence = NULL, chain_previous = NULL, chain_hash = NULL')
    await superuser.query('ALTER TABLE audit_heads DROP CONSTRAINT audit_heads_chain_id_fkey')
    await superuser.query('DELETE FROM audit_chains')
    await chainAudit(system)
    expect(await faultOf()).toMatchObject({ kind: 'rewritten', sequence: 10 })
  })

  it('a head is written without the key', async () => {
    await superuser.query('UPDATE audit_heads SET sequence = 9')
    expect(await faultOf()).toMatchObject({ kind: 'forged-head' })
    await superuser.query('DELETE FROM audit_heads')
    await signAuditHeads(system, createKeyring(), log)
    expect(await faultOf()).toMatchObject({ kind: 'forged-head' })
  })
})

describe('the application roles', () => {
  it('cannot change or delete records or their position in the chain', async () => {
    await record(1)
    const app = new pg.Client({ connectionString: database.appUrl })
    await app.connect()
    await app.query(`SELECT set_config('muster.scope', 'system', false)`)
    for (const [client, statement] of [
      [app, `UPDATE audit_logs SET action = 'x'`],
      [app, 'UPDATE audit_logs SET chain_sequence = 1'],
      [app, 'DELETE FROM audit_logs'],
      [app, 'TRUNCATE audit_logs'],
      [app, `INSERT INTO audit_logs (actor_type, action, resource_type, chain_sequence) VALUES ('user', 'x', 'x', 1)`],
      [app, `INSERT INTO audit_logs (actor_type, action, resource_type, at) VALUES ('user', 'x', 'x', now())`],
      [app, 'DELETE FROM audit_heads'],
      [system, `UPDATE audit_logs SET action = 'x'`],
      [system, 'DELETE FROM audit_logs'],
      [system, 'UPDATE audit_heads SET sequence = 1'],
      [system, 'DELETE FROM audit_chains'],
    ] as const) {
      await expect(client.query(statement), statement).rejects.toThrow(/permission denied/)
    }
    await app.end()
  })
})

describe('monthly partitions', () => {
  it('are created ahead of time, and records without a partition are moved later', async () => {
    await record(3, `'2024-02-10'::timestamptz`)
    await ensureAuditPartitions(system)
    const { rows } = await system.query<{ partition: string; count: number }>(
      'SELECT tableoid::regclass::text AS partition, count(*) AS count FROM audit_logs GROUP BY 1',
    )
    expect(rows).toEqual([{ partition: 'audit_logs_202402', count: 3 }])
  })

  it('are dropped as a whole, and a signed floor explains the gap', async () => {
    await record(4, `'2024-02-10'::timestamptz`)
    await record(3, `'2024-05-10'::timestamptz`)
    await ensureAuditPartitions(system)
    expect(await dropAuditBefore(system, keyring, log, '2024-05-01')).toEqual([])
    await chainAudit(system)
    await sign()
    const dropped = await dropAuditBefore(system, keyring, log, '2024-05-01')
    expect(dropped).toContain('audit_logs_202402')
    expect((await verify()).chains).toMatchObject([{ records: 3, from: 5, to: 7, fault: null }])
    await superuser.query('DELETE FROM audit_logs WHERE chain_sequence = 5')
    expect(await faultOf()).toMatchObject({ kind: 'missing', sequence: 5 })
  })
})

describe('an export', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'))
  afterAll(() => rm(folder, { recursive: true }))

  async function exported(complete = true) {
    await record(50)
    await chainAudit(system)
    const heads = await sign()
    const { rows } = await superuser.query<Omit<ExportedLog, 'createdAt' | 'updatedAt'>>(
      `SELECT id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, partner_id AS "partnerId", org_id AS "orgId",
         actor_type AS "actorType", actor_id AS "actorId", actor_email AS "actorEmail", action, resource_type AS "resourceType",
         resource_id AS "resourceId", resource_name AS "resourceName", result, details, changed_fields AS "changedFields",
         ip_address AS "ipAddress", user_agent AS "userAgent", request_id AS "requestId", chain_sequence::int AS sequence,
         encode(chain_hash, 'hex') AS hash, encode(chain_previous, 'hex') AS "previousHash" FROM audit_logs ORDER BY at`,
    )
    return { rows: rows.map((row) => ({ ...row, createdAt: row.at, updatedAt: row.at })), heads, complete }
  }
  async function text(parts: AsyncIterable<string>) {
    let all = ''
    for await (const part of parts) all += part
    return all
  }
  async function* inPages(rows: readonly ExportedLog[]) {
    yield rows.slice(0, 20)
    yield rows.slice(20)
  }
  const json = ({ rows, heads, complete }: { rows: readonly ExportedLog[]; heads: SignedHead[]; complete: boolean }) =>
    text(asJson({ exportedAt: '2026-01-01T00:00:00Z', filters: {}, complete, heads }, inPages(rows)))
  async function verified(name: string, content: string) {
    const file = join(folder, name)
    await writeFile(file, content)
    return verifyExport(file, keys)
  }

  it('can be verified without a database, as JSON and as CSV', async () => {
    const all = await exported()
    expect(JSON.parse(await json(all)).data).toHaveLength(50)
    expect(await verified('whole.json', await json(all))).toMatchObject({
      complete: true,
      waiting: 0,
      chains: [{ chainId: partner, records: 50, signedTo: 50, fault: null }],
    })
    expect(await verified('whole.csv', await text(asCsv(inPages(all.rows))))).toMatchObject({
      chains: [{ records: 50, fault: null }],
    })
  })

  it('can be verified with createdAt and updatedAt equal to at, and in the older form without them', async () => {
    const { rows, ...rest } = await exported()
    const csv = await text(asCsv(inPages(rows)))
    const older = csv.replace(',createdAt,updatedAt', '').replaceAll(/,([^,]+),\1(?=\r\n)/g, '')
    expect(older).not.toContain('createdAt')
    expect((await verified('older.csv', older)).chains).toMatchObject([{ records: 50, fault: null }])
    const changed = rows.map((row, index) => (index === 6 ? { ...row, createdAt: '2020-01-01T00:00:00.000000Z' } : row))
    await expect(verified('later.json', await json({ rows: changed, ...rest }))).rejects.toThrow(/Line 8.*equal to at/)
    await expect(verified('later.csv', await text(asCsv(inPages(changed))))).rejects.toThrow(/Row 8.*equal to at/)
  })

  it('shows the first record that was changed, left out or truncated', async () => {
    const all = await exported()
    const whole = await json(all)
    const lines = whole.split('\n')
    const faultIn = async (content: string) => (await verified('changed.json', content)).chains[0]?.fault
    expect(await faultIn(whole.replace('"resourceId":"r30"', '"resourceId":"r31"'))).toMatchObject({
      kind: 'altered',
      sequence: 30,
    })
    expect(await faultIn(lines.toSpliced(11, 1).join('\n'))).toMatchObject({ kind: 'missing', sequence: 11 })
    const cut = [...lines.slice(0, 40), lines[40]?.replace(/,$/, ''), ']}', ''].join('\n')
    expect(await faultIn(cut)).toMatchObject({ kind: 'truncated', sequence: 41 })
    await expect(verified('half.json', whole.slice(0, whole.length / 2))).rejects.toThrow(ExportError)
    const csv = (await text(asCsv(inPages(all.rows)))).replace(',r7,', ',r8,')
    expect((await verified('changed.csv', csv)).chains[0]?.fault).toMatchObject({ kind: 'altered', sequence: 7 })
  })

  it('with filters is verified record by record', async () => {
    const { rows, heads } = await exported()
    const some = { rows: rows.filter((_, index) => index % 3 === 0), heads, complete: false }
    expect(await verified('some.json', await json(some))).toMatchObject({ chains: [{ records: 17, fault: null }] })
  })

  it('is rejected when the file is something else', async () => {
    await expect(verified('other.json', '{"hello":1}')).rejects.toThrow(ExportError)
    await expect(verified('other.csv', 'a,b\r\n1,2\r\n')).rejects.toThrow(ExportError)
  })
})
