import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { SendResult } from '../../background/delivery-kind.ts'

/** One endpoint, with its limits. */
export interface Lane {
  /** Such as `webhook:<id>`. */
  readonly lane: string
  /** The kind of its deliveries. */
  readonly kind: string
  readonly partnerId: string
  readonly orgId: string | null
  /** Deliveries under way at once. */
  readonly concurrency: number
  /** The least time between the starts of two deliveries. */
  readonly spacingMs?: number
  /** How long a delivery is tried. */
  readonly lastsMs?: number
}

/** Creates the lane of an endpoint, or changes its limits. */
export async function setLane(db: Db, { spacingMs = 0, lastsMs, ...given }: Lane): Promise<void> {
  const { concurrency } = given
  await db
    .insertInto('deliveryLanes')
    .values({ ...given, spacingMs, lastsMs: lastsMs ?? null })
    .onConflict((conflict) => conflict.column('lane').doUpdateSet({ concurrency, spacingMs, lastsMs: lastsMs ?? null }))
    .execute()
}

/** Deletes a lane and its deliveries. */
export async function dropLane(db: Db, lane: string): Promise<void> {
  await db.deleteFrom('deliveryLanes').where('lane', '=', lane).execute()
}

/** Starts no delivery of the lane any more. What waits has failed, and is kept to be repeated. */
export async function closeLane(db: Db, lane: string): Promise<void> {
  await db
    .updateTable('deliveryLanes')
    .set({ notBefore: sql<string>`'infinity'::timestamptz` })
    .where('lane', '=', lane)
    .execute()
  await db
    .updateTable('deliveries')
    .set({ status: 'failed', nextAttemptAt: null, endedAt: sql<string>`now()` })
    .where('lane', '=', lane)
    .where('status', 'in', ['pending', 'delivering'])
    .execute()
}

/** Opens a closed lane, or one that waits after failures. */
export async function reopenLane(db: Db, lane: string): Promise<void> {
  await db
    .updateTable('deliveryLanes')
    .set({ notBefore: sql<string>`'-infinity'::timestamptz`, failures: 0, failingSince: null })
    .where('lane', '=', lane)
    .execute()
}

/** Forgets how the endpoint answered, because its address or its secrets are others now. What waits is sent at once. */
export async function renewLane(db: Db, lane: string): Promise<void> {
  await reopenLane(db, lane)
  await db.updateTable('deliveryLanes').set({ lastSuccessAt: null, lastError: null }).where('lane', '=', lane).execute()
}

/** How an endpoint answered lately. */
export interface LaneHealth {
  readonly status: 'untested' | 'ok' | 'failing'
  readonly lastSuccessAt: string | null
  readonly lastError: string | null
}

/** The health of the lanes that exist, by lane. */
export async function healthOf(db: Db, lanes: readonly string[]): Promise<Map<string, LaneHealth>> {
  const rows = await db
    .selectFrom('deliveryLanes')
    .select(['lane', 'lastSuccessAt', 'lastError', 'failures'])
    .where(isOneOf('lane', lanes))
    .execute()
  return new Map(
    rows.map(({ lane, lastSuccessAt, lastError, failures }) => {
      const untested = lastSuccessAt === null && failures === 0
      return [lane, { status: untested ? 'untested' : failures > 0 ? 'failing' : 'ok', lastSuccessAt, lastError }]
    }),
  )
}

/** Notes the result of a try outside of the queue, such as a test that a user asked for. A success ends a wait after failures. */
export async function noteTry(db: Db, lane: string, result: SendResult): Promise<void> {
  const noted = result.delivered
    ? {
        failures: 0,
        failingSince: null,
        lastError: null,
        lastSuccessAt: sql<string>`now()`,
        notBefore: sql<string>`CASE WHEN not_before = 'infinity' THEN not_before ELSE '-infinity' END`,
      }
    : {
        failures: sql<number>`failures + 1`,
        failingSince: sql<string>`coalesce(failing_since, now())`,
        lastError: result.error.slice(0, 1_000),
      }
  await db.updateTable('deliveryLanes').set(noted).where('lane', '=', lane).execute()
}
