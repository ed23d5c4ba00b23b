// Where answers to requests with an Idempotency-Key are kept.

import { asSystem, consecutively, type Db, readAsSystem, withCommit } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { AppError } from '@muster/kit/errors.ts'
import { EarlierAnswer, type Repeat } from '@muster/kit/operation/repeat.ts'
import { seal, unseal } from '@muster/kit/secrets/sealed.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { every } from './background/job.ts'
import type { Services } from './services.ts'

const keptHours = 24
/** How long a request without an answer may still be running; then its process has died. */
const runningMinutes = 10

interface Stored {
  readonly inputHash: string
  readonly acted: boolean
  readonly answer: string | null
}

const callerName = ({ apiKeyId, userId, orgId, partnerId }: Caller) =>
  `${apiKeyId ?? userId} in ${orgId ?? partnerId ?? 'system'}`

export function repeatIn(
  { system, keyring }: Pick<Services, 'system' | 'keyring'>,
  operation: string,
  who: Caller,
  key: string,
  inputHash: string,
): Repeat<Db> {
  const caller = callerName(who)
  const context = `answer ${caller} ${operation} ${key}`
  const here = sql`caller = ${caller} AND operation = ${operation} AND key = ${key}`
  const isFresh = sql`created_at > now() - make_interval(hours => ${keptHours})`

  function earlier(stored: Stored | undefined): EarlierAnswer | null {
    if (stored === undefined) return null
    if (stored.inputHash !== inputHash) {
      throw new AppError(
        'IDEMPOTENCY_KEY_REUSED',
        'Idempotency-Key: was used with another input. Use a new key for a new request',
      )
    }
    if (stored.answer !== null) return new EarlierAnswer(JSON.parse(unseal(keyring, stored.answer, context)))
    throw new AppError(
      'CONFLICT',
      stored.acted
        ? 'The request with this Idempotency-Key changed something, but has no answer to repeat. Look for its result'
        : 'The request with this Idempotency-Key is still running. Try again shortly',
      { retryAfter: 2 },
    )
  }

  return {
    async find() {
      const rows = await readAsSystem(system, async (db) => {
        const found = await sql<Stored>`SELECT input_hash, acted, answer FROM idempotent_requests
          WHERE ${here} AND ${isFresh} AND answer IS NOT NULL`.execute(db)
        return found.rows
      })
      return earlier(rows[0])
    },
    async claim(db) {
      const rows = await consecutively(
        db,
        sql`INSERT INTO idempotent_requests (caller, operation, key, user_id, input_hash)
          VALUES (${caller}, ${operation}, ${key}, ${who.userId}, ${inputHash})
          ON CONFLICT (caller, operation, key) DO NOTHING`,
        sql<Stored & { mine: boolean }>`
          UPDATE idempotent_requests SET created_at = now(), answer = null, acted = false, input_hash = ${inputHash}
          WHERE ${here} AND (xmin = pg_current_xact_id()::xid OR NOT (${isFresh})
            OR (answer IS NULL AND NOT acted AND created_at < now() - make_interval(mins => ${runningMinutes})))
          RETURNING input_hash, acted, answer, true AS mine`,
      )
      if (rows[0]?.mine) return null
      const found = await sql<Stored>`SELECT input_hash, acted, answer FROM idempotent_requests WHERE ${here}`.execute(
        db,
      )
      return earlier(found.rows[0])
    },
    acted(db) {
      const noted = sql`UPDATE idempotent_requests SET acted = true WHERE ${here}`
      withCommit(db, { compile: () => noted.compile(db) })
    },
    keep(db, output) {
      const answer = seal(keyring, JSON.stringify(output), context)
      const kept = sql`UPDATE idempotent_requests SET answer = ${answer} WHERE ${here}`
      withCommit(db, { compile: () => kept.compile(db) })
    },
    async release(refused) {
      const unused = refused ? sql`answer IS NULL` : sql`answer IS NULL AND NOT acted`
      await asSystem(system, (db) => sql`DELETE FROM idempotent_requests WHERE ${here} AND ${unused}`.execute(db))
    },
  }
}

/** Removes what is older than a key counts, a bounded number at a time. */
export const forgetOldRepeats = (pool: pg.Pool): Promise<unknown> =>
  pool.query(
    `DELETE FROM idempotent_requests WHERE (caller, operation, key) IN (
       SELECT caller, operation, key FROM idempotent_requests
       WHERE created_at < now() - make_interval(hours => $1) ORDER BY created_at LIMIT 50000)`,
    [keptHours],
  )

export const idempotentRequests = every(600_000, 'idempotent-requests', ({ pool }) => forgetOldRepeats(pool))
