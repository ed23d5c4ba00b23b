import type pg from 'pg'
import { recordColumns } from './canonical.ts'
import type { SignedHead } from './signed-heads.ts'
import { ChainCheck, type ChainLink, type ChainReport } from './verify.ts'

const readRows = 5_000

export interface DatabaseReport {
  readonly chains: readonly ChainReport[]
  /** Records that are not chained yet. */
  readonly waiting: number
}

async function headsIn(pool: pg.Pool): Promise<SignedHead[]> {
  const { rows } = await pool.query<SignedHead>(
    `SELECT chain_id AS "chainId", kind, sequence, encode(hash, 'hex') AS hash,
       to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, key_id AS "keyId", public_key AS "publicKey", signature
     FROM audit_heads`,
  )
  return rows
}

interface Chain {
  readonly chainId: string
  readonly partnerId: string | null
  readonly end: number
}

/** Chains that are stored, and chains that records claim to belong to. */
async function chainsIn(pool: pg.Pool): Promise<Chain[]> {
  const { rows } = await pool.query<Chain>(
    `SELECT coalesce(c.chain_id, r.chain_id) AS "chainId", nullif(coalesce(c.chain_id, r.chain_id), '00000000-0000-0000-0000-000000000000') AS "partnerId",
       coalesce(c.sequence, 0) AS "end"
     FROM audit_chains c FULL JOIN (
       SELECT DISTINCT coalesce(partner_id, '00000000-0000-0000-0000-000000000000') AS chain_id FROM audit_logs WHERE chain_sequence IS NOT NULL
     ) r ON r.chain_id = c.chain_id ORDER BY 1`,
  )
  return rows
}

async function* linksOf(pool: pg.Pool, { partnerId }: Chain): AsyncGenerator<ChainLink> {
  const owner = partnerId === null ? 'a.partner_id IS NULL AND $1::uuid IS NULL' : 'a.partner_id = $1'
  let after: [number, string] = [-1, '00000000-0000-0000-0000-000000000000']
  while (true) {
    const { rows } = await pool.query<ChainLink>(
      `SELECT a.chain_sequence AS sequence, encode(a.chain_previous, 'hex') AS "previousHash", encode(a.chain_hash, 'hex') AS hash, ${recordColumns}
       FROM audit_logs a WHERE ${owner} AND (a.chain_sequence, a.id) > ($2, $3::uuid)
       ORDER BY a.chain_sequence, a.id LIMIT ${readRows}`,
      [partnerId, ...after],
    )
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < readRows) return
    after = [last.sequence, last.id]
  }
}

/** Verifies all chains of a database, or one partner's. @param keys trusted public keys by ID; null trusts the stored ones */
export async function verifyDatabase(
  pool: pg.Pool,
  keys: ReadonlyMap<string, string> | null,
  partnerId?: string,
): Promise<DatabaseReport> {
  const heads = await headsIn(pool)
  const chains: ChainReport[] = []
  for (const chain of await chainsIn(pool)) {
    if (partnerId !== undefined && chain.partnerId !== partnerId) continue
    const check = new ChainCheck(chain.chainId, { heads, keys })
    for await (const link of linksOf(pool, chain)) if (!check.add(link)) break
    chains.push(check.finish(chain.end))
  }
  const { rows } = await pool.query<{ waiting: number }>(
    'SELECT count(*) AS waiting FROM audit_logs WHERE chain_sequence IS NULL',
  )
  return { chains, waiting: rows[0]?.waiting ?? 0 }
}
