import { asSystem } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { at } from '../../../background/job.ts'

const keptDays = 30

/** Forgets sessions, with their refresh tokens, and links of mails some time after they ended. @returns how many sessions */
export const forgetOldSessions = (pool: pg.Pool): Promise<number> =>
  asSystem(pool, async (db) => {
    const old = sql<string>`now() - make_interval(days => ${keptDays})`
    await db.deleteFrom('oneTimeTokens').where('expiresAt', '<', old).execute()
    const { numDeletedRows } = await db
      .deleteFrom('sessions')
      .where((eb) => eb.or([eb('revokedAt', '<', old), eb('expiresAt', '<', old)]))
      .executeTakeFirst()
    return Number(numDeletedRows)
  })

export const forgetSessions = at('43 2 * * *', 'forget-sessions', async ({ pool, log }) => {
  log.info({ sessions: await forgetOldSessions(pool) }, 'old sessions and links forgotten')
})
