import type pg from 'pg'
import { compareIds } from './stream.ts'

const start = '0-0'

/**
 * The ID up to which a stream is stored. If the last ID of the stream is before it, Redis lost the stream and created it again
 * with an earlier clock; the new one is read from its start.
 */
export async function openPosition(pool: pg.Pool, stream: string, lastId: string): Promise<string> {
  await pool.query({
    name: 'make-position',
    text: 'INSERT INTO stream_positions (stream, entry_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    values: [stream, start],
  })
  const { rows } = await pool.query<{ entry_id: string }>({
    name: 'read-position',
    text: 'SELECT entry_id FROM stream_positions WHERE stream = $1',
    values: [stream],
  })
  const position = rows[0]?.entry_id ?? start
  if (compareIds(lastId, position) >= 0) return position
  await pool.query({
    name: 'reset-position',
    text: 'UPDATE stream_positions SET entry_id = $3, updated_at = now() WHERE stream = $1 AND entry_id = $2',
    values: [stream, position, start],
  })
  return start
}
