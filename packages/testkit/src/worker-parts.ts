import type { Follower } from '@muster/areas/background/follower.ts'
import type { WorkerParts } from '@muster/areas/background/worker-parts.ts'
import { beginCursors } from '@muster/areas/platform/events/cursors.ts'
import { followOnce } from '@muster/areas/platform/events/follow.ts'
import type { PartnerEvent } from '@muster/areas/platform/live-events/publish.ts'
import { changeFollowers, deploymentKinds, outcomes, planKinds } from '@muster/areas/work.ts'
import type pg from 'pg'
import { outgoingForTests } from './outgoing.ts'
import { testServices } from './services.ts'

export interface TestWorkerParts extends WorkerParts {
  /** What was published, oldest first. */
  readonly published: PartnerEvent[]
  /** What was counted, by the name of the counter. */
  readonly counted: Map<string, number>
  /** What was measured last, by the name of the gauge. */
  readonly measured: Map<string, number>
}

/** What a worker gives to background work, on the stores of the run. @param pool another database */
export async function testWorkerParts(pool?: pg.Pool): Promise<TestWorkerParts> {
  const { system, redis, keyring, log } = await testServices()
  const published: PartnerEvent[] = []
  const counted = new Map<string, number>()
  const measured = new Map<string, number>()
  return {
    pool: pool ?? system,
    redis,
    keyring,
    log,
    settings: {
      publicUrl: 'http://127.0.0.1:3000',
      heartbeatSeconds: 60,
      metricDays: { raw: 7, fiveMinutes: 30, hours: 365 },
      releases: null,
      files: null,
      outgoing: outgoingForTests,
      mail: { smtpUrl: null, from: 'muster@example.test', keepsUnsent: false },
    },
    outcomes,
    planKinds,
    changeFollowers,
    observers: [],
    deploymentKinds,
    publish: async (events) => void published.push(...events),
    count: ({ name }, _, by = 1) => void counted.set(name, (counted.get(name) ?? 0) + by),
    set: ({ name }, value) => void measured.set(name, value),
    published,
    counted,
    measured,
  }
}

/** Creates the cursor of a follower, so that it receives the events from now on. */
export const beginFollower = ({ pool }: WorkerParts, follower: Follower): Promise<void> =>
  beginCursors(pool, [follower.name])

/** Hands a follower every event that was stored before the call. It does not wait before it retries. */
export async function followUp(parts: WorkerParts, follower: Follower): Promise<void> {
  const { rows } = await parts.pool.query<{ tx: string; seq: number }>(
    'SELECT tx::text, seq FROM events ORDER BY events.tx DESC, seq DESC LIMIT 1',
  )
  const [last] = rows
  if (last === undefined) return
  const isDone = async () => {
    const cursor = await parts.pool.query<{ done: boolean }>(
      'SELECT (tx, seq) >= ($2::xid8, $3::bigint) AS done FROM event_cursors WHERE follower = $1',
      [follower.name, last.tx, last.seq],
    )
    return cursor.rows[0]?.done === true
  }
  // A transaction of another test may hold events back for a moment.
  while (!(await isDone())) {
    await followOnce(follower, parts)
    await parts.pool.query('UPDATE event_cursors SET retry_at = NULL WHERE follower = $1', [follower.name])
  }
}
