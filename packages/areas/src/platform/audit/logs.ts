import { asSystem, type Db } from '@muster/db/database.ts'
import { upTo } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { invalid, notFound } from '@muster/kit/errors.ts'
import { openCursor, sealCursor } from '@muster/kit/secrets/cursor.ts'
import { sql } from 'kysely'
import { implement } from '../../operation.ts'
import { type AuditFilters, type AuditLog, logs as contract } from './logs.contract.ts'
import { columns, countOf, matching, newest, type Position } from './logs.queries.ts'

export default implement(contract, {
  async recent({ caller, input: { cursor, limit, ...filters }, db, services }) {
    const binding = JSON.stringify(['audit', caller.userId, caller.partnerId, caller.orgId, filters])
    const position = cursor === undefined ? null : positionOf(openCursor(services.keyring, binding, cursor))
    const { data, last } = upTo(limit, await newest(db, matching(caller, filters), position, limit + 1))
    const nextCursor = last === null ? null : sealCursor(services.keyring, binding, [last.at, last.id])
    return { data, nextCursor, limit }
  },

  async list({ caller, input: { page, limit, ...filters }, db }) {
    const condition = matching(caller, filters)
    const found = newest(db, condition, null, limit, (page - 1) * limit)
    const counted = countOf(db, condition)
    return { data: await found, pagination: { page, limit, ...(await counted) } }
  },

  async get({ caller, input, db }) {
    const [record] = await recordsById(db, caller, [input.id])
    if (record === undefined) throw notFound('Audit log')
    return record
  },

  async search({ caller, input: { page, limit, ...filters }, db, services }) {
    const condition = matching(caller, filters)
    // Row-level security keeps queries from using the text index. So the system's connection finds the IDs of matching records
    // within the same reach, and the records themselves are then read as the caller.
    const { ids, counted } = await asSystem(services.system, async (system) => {
      const found = newest(system, condition, null, limit, (page - 1) * limit)
      const counted = await countOf(system, condition)
      return { ids: (await found).map(({ id }) => id), counted }
    })
    const records = new Map((await recordsById(db, caller, ids)).map((record) => [record.id, record]))
    const data = ids.flatMap((id) => records.get(id) ?? [])
    return { data, pagination: { page, limit, ...counted } }
  },

  async chain({ caller, input, db }) {
    matching(caller, input)
    const partnerId = input.partnerId ?? caller.partnerId
    const { rows } = await sql<Chain>`
      SELECT c.chain_id, c.sequence, encode(c.hash, 'hex') AS hash, c.updated_at, h.signed
      FROM audit_chains c LEFT JOIN LATERAL (
        SELECT json_build_object('sequence', h.sequence, 'hash', encode(h.hash, 'hex'), 'at', to_char(h.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
          'keyId', h.key_id, 'publicKey', h.public_key, 'signature', h.signature) AS signed
        FROM audit_heads h WHERE h.chain_id = c.chain_id AND h.kind = 'head' ORDER BY h.sequence DESC LIMIT 1
      ) h ON true
      WHERE ${partnerId === null ? sql`true` : sql`c.partner_id = ${partnerId}`} ORDER BY c.chain_id LIMIT 1000`.execute(
      db,
    )
    return { data: rows }
  },
})

interface Chain {
  readonly chainId: string
  readonly sequence: number
  readonly hash: string
  readonly updatedAt: string
  readonly signed: {
    readonly sequence: number
    readonly hash: string
    readonly at: string
    readonly keyId: string
    readonly publicKey: string
    readonly signature: string
  } | null
}

function positionOf(opened: string[] | null): Position {
  const [at, id] = opened ?? []
  if (at === undefined || id === undefined) throw invalid('cursor: is not a cursor of this list')
  return { at, id }
}

async function recordsById(db: Db, caller: Caller, ids: readonly string[]): Promise<AuditLog[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<AuditLog>`SELECT ${columns} FROM audit_logs a
    WHERE a.id = ANY (${[...ids]}::uuid[]) AND ${matching(caller, {} satisfies AuditFilters)}`.execute(db)
  return rows
}
