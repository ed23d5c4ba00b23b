import { asSystem, planAnew } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { every, type Job } from '../../../background/job.ts'
import type { WorkerParts } from '../../../background/worker-parts.ts'
import { dropTargets } from '../../../fleet/targets/index.ts'
import { countToday } from '../compliance/days.ts'
import { evaluateDevices } from './evaluate.ts'
import { queueChangedPolicies, queueExpiredExceptions, queueStale, queueUnknown, takeMarks } from './marks.ts'
import { PolicyBooks } from './policy-books.ts'

type Parts = Pick<WorkerParts, 'pool' | 'publish'>

const marksAtOnce = 1_000
const staleAtOnce = 200
/** Other jobs of the worker get their turn, too. */
const turnMs = 5_000

/** Evaluates the devices that changed, in small transactions. @returns how many there were */
export async function evaluateChanged({ pool, publish }: Parts, books: PolicyBooks): Promise<number> {
  await asSystem(pool, async (db) => {
    await queueChangedPolicies(db)
    await queueExpiredExceptions(db)
  })
  const endMs = performance.now() + turnMs
  let evaluated = 0
  for (;;) {
    const { devices, events } = await asSystem(pool, async (db) => {
      await planAnew(db)
      const changed = await takeMarks(db, marksAtOnce)
      return { devices: changed.size, events: await evaluateDevices(db, changed, books) }
    })
    await publish(events)
    evaluated += devices
    if (devices === 0 || performance.now() > endMs) return evaluated
  }
}

/** Devices follow changes of their facts, their places and their policies within seconds. */
export const policyEvaluation: Job = {
  name: 'policy-evaluation',
  when: { everyMs: 400 },
  by: 'one worker',
  begin: (parts) => {
    const books = new PolicyBooks()
    return async () => {
      if ((await evaluateChanged(parts, books)) === 0) await asSystem(parts.pool, (db) => queueStale(db, staleAtOnce))
    }
  },
}

const keptDays = 90

/** Counts for the trend, and deletes what has ended. */
export async function sweepPolicies({ pool }: Pick<Parts, 'pool'>): Promise<void> {
  await asSystem(pool, async (db) => {
    await queueUnknown(db)
    await countToday(db)
    await sql`DELETE FROM device_policy_transitions WHERE at < now() - make_interval(days => ${keptDays})`.execute(db)
    await sql`DELETE FROM device_policy_sets e WHERE e.used_at < now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM device_policy_states s WHERE s.set_id = e.id)`.execute(db)
  })
  await asSystem(pool, async (db) => {
    // The last devices were evaluated without them long ago.
    const { rows } = await sql<{ targetSetId: string }>`DELETE FROM device_policies p
      WHERE p.deleted_at < now() - interval '1 day' AND p.revision = p.queued_revision
        AND NOT EXISTS (SELECT FROM device_policy_results r WHERE r.policy_id = p.id)
      RETURNING p.target_set_id`.execute(db)
    for (const { targetSetId } of rows) await dropTargets(db, targetSetId)
  })
}

export const policySweep = every(600_000, 'policy-sweep', sweepPolicies)
