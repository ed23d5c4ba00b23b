// The one writer of the audit chains. Requests only insert records; this appends them to their partner's chain in batches,
// so that auditing never makes one request wait for another.

import { inTransaction } from '@muster/db/transaction.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import type pg from 'pg'
import { at, type Job } from '../../../background/job.ts'
import { type ChainedRecord, chainHash, chainOf, noHash, recordColumns } from './canonical.ts'
import { type SignedHead, signHead } from './signed-heads.ts'

const batchRows = 1_000
/** Held for a batch, so that there is one writer however many workers run. */
const writerLock = 7_301_156

/** Named, so that it is planned once: for all partitions of the log that takes longer than to find nothing in them. */
const unchained = {
  name: 'unchained',
  text: `SELECT ${recordColumns} FROM audit_logs a WHERE a.chain_sequence IS NULL ORDER BY a.at, a.id LIMIT ${batchRows}`,
}

type Unchained = Omit<ChainedRecord, 'sequence'>
interface End {
  sequence: number
  hash: Buffer
}

const isTheWriter = async (client: pg.PoolClient): Promise<boolean> =>
  (await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [writerLock])).rows[0]
    ?.mine === true

async function chainBatch(client: pg.PoolClient): Promise<number> {
  if (!(await isTheWriter(client))) return 0
  const { rows } = await client.query<Unchained>(unchained)
  if (rows.length === 0) return 0
  const chainIds = [...new Set(rows.map(({ partnerId }) => chainOf(partnerId)))]
  const ends = await endsOf(client, chainIds)
  const links = rows.map((row) => {
    const end = ends.get(chainOf(row.partnerId)) ?? { sequence: 0, hash: noHash }
    const sequence = end.sequence + 1
    const hash = chainHash(end.hash, { ...row, sequence })
    ends.set(chainOf(row.partnerId), { sequence, hash })
    return { row, sequence, previous: end.hash, hash }
  })
  await client.query(
    `UPDATE audit_logs a SET chain_sequence = l.sequence, chain_previous = l.previous, chain_hash = l.hash
     FROM unnest($1::uuid[], $2::timestamptz[], $3::bigint[], $4::bytea[], $5::bytea[]) AS l(id, at, sequence, previous, hash)
     WHERE a.id = l.id AND a.at = l.at`,
    [
      links.map(({ row }) => row.id),
      links.map(({ row }) => row.at),
      links.map(({ sequence }) => sequence),
      links.map(({ previous }) => previous),
      links.map(({ hash }) => hash),
    ],
  )
  await saveEnds(client, rows, ends)
  return rows.length
}

async function endsOf(client: pg.PoolClient, chainIds: readonly string[]): Promise<Map<string, End>> {
  const { rows } = await client.query<{ chain_id: string } & End>(
    'SELECT chain_id, sequence, hash FROM audit_chains WHERE chain_id = ANY ($1::uuid[])',
    [chainIds],
  )
  return new Map(rows.map(({ chain_id, sequence, hash }) => [chain_id, { sequence, hash }]))
}

async function saveEnds(
  client: pg.PoolClient,
  rows: readonly Unchained[],
  ends: ReadonlyMap<string, End>,
): Promise<void> {
  const partners = new Map(rows.map(({ partnerId }) => [chainOf(partnerId), partnerId]))
  const saved = [...ends].filter(([chainId]) => partners.has(chainId))
  await client.query(
    `INSERT INTO audit_chains (chain_id, partner_id, sequence, hash)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[])
     ON CONFLICT (chain_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash, updated_at = now()`,
    [
      saved.map(([chainId]) => chainId),
      saved.map(([chainId]) => partners.get(chainId) ?? null),
      saved.map(([, { sequence }]) => sequence),
      saved.map(([, { hash }]) => hash),
    ],
  )
}

/**
 * Appends what was recorded since the last time to its chains. Call it about every second; several processes may.
 * @returns how many records were chained
 */
export async function chainAudit(pool: pg.Pool): Promise<number> {
  let total = 0
  while (true) {
    const chained = await inTransaction(pool, chainBatch)
    total += chained
    if (chained < batchRows) return total
  }
}

/**
 * Signs the end of every chain that has grown since it was last signed, and logs what it signed: the log is the copy
 * outside of the database. Call it about every minute.
 */
export async function signAuditHeads(pool: pg.Pool, keyring: Keyring, log: Log): Promise<SignedHead[]> {
  const heads = await inTransaction(pool, async (client) => {
    if (!(await isTheWriter(client))) return []
    const { rows } = await client.query<{ chain_id: string; sequence: number; hash: Buffer; at: string }>(
      `SELECT c.chain_id, c.sequence, c.hash, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
       FROM audit_chains c WHERE NOT EXISTS (
         SELECT FROM audit_heads h WHERE h.chain_id = c.chain_id AND h.kind = 'head' AND h.sequence >= c.sequence)`,
    )
    const signed = rows.map(({ chain_id, sequence, hash, at }) =>
      signHead(keyring, { chainId: chain_id, kind: 'head', sequence, hash: hash.toString('hex'), at }),
    )
    for (const head of signed) await saveHead(client, head)
    return signed
  })
  for (const head of heads) log.info({ head }, 'the end of an audit chain was signed')
  return heads
}

async function saveHead(client: pg.PoolClient, head: SignedHead): Promise<void> {
  await client.query(
    `INSERT INTO audit_heads (chain_id, partner_id, kind, sequence, hash, at, key_id, public_key, signature)
     SELECT chain_id, partner_id, $2, $3, $4, $5, $6, $7, $8 FROM audit_chains WHERE chain_id = $1
     ON CONFLICT DO NOTHING`,
    [
      head.chainId,
      head.kind,
      head.sequence,
      Buffer.from(head.hash, 'hex'),
      head.at,
      head.keyId,
      head.publicKey,
      head.signature,
    ],
  )
}

/** Makes the partitions of the coming months. Call it daily. */
export async function ensureAuditPartitions(pool: pg.Pool, monthsAhead = 3): Promise<void> {
  await pool.query('SELECT ensure_audit_partitions($1)', [monthsAhead])
}

/**
 * Drops the partitions before a month. The rest of each chain begins at a signed floor, which explains the gap.
 * @returns the dropped partitions
 */
export async function dropAuditBefore(pool: pg.Pool, keyring: Keyring, log: Log, before: string): Promise<string[]> {
  const floors = await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ chain_id: string; sequence: number; hash: Buffer; at: string }>(
      `SELECT DISTINCT ON (a.partner_id) coalesce(a.partner_id, '00000000-0000-0000-0000-000000000000') AS chain_id,
         a.chain_sequence AS sequence, a.chain_hash AS hash, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
       FROM audit_logs a WHERE a.at < date_trunc('month', $1::date) AT TIME ZONE 'UTC' AND a.chain_sequence IS NOT NULL
       ORDER BY a.partner_id, a.chain_sequence DESC`,
      [before],
    )
    const signed = rows.map(({ chain_id, sequence, hash, at }) =>
      signHead(keyring, { chainId: chain_id, kind: 'floor', sequence, hash: hash.toString('hex'), at }),
    )
    for (const floor of signed) await saveHead(client, floor)
    return signed
  })
  for (const floor of floors) log.info({ floor }, 'an audit chain now begins after this record')
  const { rows } = await pool.query<{ dropped: string[] }>(
    `SELECT drop_audit_partitions(date_trunc('month', $1::date)::date) AS dropped`,
    [before],
  )
  return rows[0]?.dropped ?? []
}

/** Every worker tries: the database sees to it that only one of them writes. */
export const auditChain: Job = {
  name: 'audit-chain',
  when: { everyMs: 1_000 },
  by: 'every worker',
  begin:
    ({ pool }) =>
    () =>
      chainAudit(pool),
}

export const auditHeads: Job = {
  name: 'audit-heads',
  when: { everyMs: 60_000 },
  by: 'every worker',
  begin:
    ({ pool, keyring, log }) =>
    () =>
      signAuditHeads(pool, keyring, log),
}

export const auditPartitions = at('23 1 * * *', 'audit-partitions', ({ pool }) => ensureAuditPartitions(pool))
