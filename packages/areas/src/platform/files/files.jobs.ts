// Removes the bytes of files that were deleted, have expired or were never finished, and then their rows.

import type { ObjectStore } from '@muster/files/object-store.ts'
import { StagedUpload } from '@muster/files/staged-upload.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import type { Job } from '../../background/job.ts'

const filesPerSweep = 500
/** Longer than any single request takes to write an object. */
const unfinishedMs = 24 * 3_600_000

interface Swept {
  readonly id: string
  readonly key: string
}

/** @returns how many files were removed. One that the store could not remove stays for the next sweep. */
export async function sweepFiles(pool: pg.Pool, store: ObjectStore, log: Log, nowMs = Date.now()): Promise<number> {
  await pool.query(
    `UPDATE files SET state = 'deleted', updated_at = now()
     WHERE state <> 'deleted' AND expires_at < $1 AND id IN (
       SELECT id FROM files WHERE state <> 'deleted' AND expires_at < $1 ORDER BY expires_at LIMIT $2)`,
    [new Date(nowMs), filesPerSweep],
  )
  const { rows } = await pool.query<Swept>(
    `SELECT id, storage_key AS key FROM files WHERE state = 'deleted' ORDER BY updated_at LIMIT $1`,
    [filesPerSweep],
  )
  const removed: string[] = []
  const failed: string[] = []
  for (const { id, key } of rows) {
    try {
      await new StagedUpload(store, id).discard()
      await store.remove(key)
      removed.push(id)
    } catch (error) {
      log.warn({ err: error, file: id }, 'a deleted file could not be removed from the store')
      failed.push(id)
    }
  }
  await pool.query(`DELETE FROM files WHERE id = ANY ($1) AND state = 'deleted'`, [removed])
  // They go behind the others, so that they hold nothing up.
  await pool.query('UPDATE files SET updated_at = now() WHERE id = ANY ($1)', [failed])
  await store.removeUnfinished(new Date(nowMs - unfinishedMs))
  return removed.length
}

/** The bytes of deleted and expired files are gone within a minute or so. */
export const fileSweep: Job = {
  name: 'files',
  when: { everyMs: 60_000 },
  by: 'one worker',
  begin({ pool, log, settings: { files } }) {
    return files && (() => sweepFiles(pool, files, log))
  },
}
