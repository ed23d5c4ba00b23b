import { generationsKey, quarantinedGeneration, revokedGeneration } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type pg from 'pg'
import { every } from '../../background/job.ts'

const firstGeneration = 1
const fieldsPerCommand = 1_000

interface GenerationRow {
  id: string
  generation: number
}

const columns = `id, CASE lifecycle WHEN 'decommissioned' THEN ${revokedGeneration} WHEN 'quarantined' THEN ${quarantinedGeneration}
  ELSE key_generation END AS generation`

/**
 * Brings the hash of certificate generations in line with the database, so that revocations survive the loss of Redis.
 * A device without a field may use any certificate that was ever signed for it.
 */
export async function rebuildGenerations({ pool, redis }: { pool: pg.Pool; redis: Redis }): Promise<number> {
  const { rows } = await pool.query<GenerationRow>({
    name: 'find-generations',
    text: `SELECT ${columns} FROM devices WHERE key_generation > ${firstGeneration} OR lifecycle IN ('decommissioned', 'quarantined')`,
  })
  const wanted = new Map(rows.map(({ id, generation }) => [id, String(generation)]))
  const present = await redis.hgetall(generationsKey)
  const differing = new Set<string>()
  for (const [id, generation] of wanted) if (present[id] !== generation) differing.add(id)
  for (const id of Object.keys(present)) if (!wanted.has(id)) differing.add(id)
  const ids = [...differing]
  for (let start = 0; start < ids.length; start += fieldsPerCommand)
    await correct({ pool, redis }, ids.slice(start, start + fieldsPerCommand))
  return ids.length
}

/** Reads again, because a change may have been published while the hash was read. Deleted devices stay revoked. */
async function correct({ pool, redis }: { pool: pg.Pool; redis: Redis }, ids: readonly string[]): Promise<void> {
  const { rows } = await pool.query<GenerationRow>({
    name: 'read-generations',
    text: `SELECT ${columns} FROM devices WHERE id = ANY($1::uuid[])`,
    values: [ids],
  })
  const pipeline = redis.pipeline()
  for (const { id, generation } of rows) {
    if (generation === firstGeneration) pipeline.hdel(generationsKey, id)
    else pipeline.hset(generationsKey, id, generation)
  }
  await pipeline.exec()
}

export const generations = every(60_000, 'generations', rebuildGenerations)
