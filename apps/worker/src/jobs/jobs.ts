import type { Job } from '@muster/areas/background/job.ts'
import type { WorkerParts } from '@muster/areas/background/worker-parts.ts'
import type { Service } from '@muster/kit/service.ts'
import { PgBoss } from 'pg-boss'
import { jobConnectionsMax } from '../limits.ts'
import type { WorkerMetrics } from '../metrics.ts'
import { exclusively } from './exclusive.ts'
import { periodic } from './periodic.ts'

/** Services that run the jobs with an interval. */
export function repeatedJobs(jobs: readonly Job[], parts: WorkerParts): Service[] {
  return jobs.flatMap(({ name, when, by, begin }) => {
    const work = 'everyMs' in when ? begin(parts) : null
    if (work === null || !('everyMs' in when)) return []
    const turn = by === 'every worker' ? work : () => exclusively(parts.redis, name, work)
    const service = periodic(name, when.everyMs, parts.log, turn)
    return { ...service, stop: async () => work.end?.() }
  })
}

const schema = 'pgboss'
const pollSeconds = 15
const stopMs = 5_000

/** The queues of the jobs with a schedule. Their tables are in a schema in which this login may create tables. */
export function scheduledJobs(
  jobs: readonly Job[],
  parts: WorkerParts,
  { databaseUrl, metrics }: { databaseUrl: string; metrics: WorkerMetrics },
): Service {
  const { log } = parts
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'worker-jobs',
    schema,
    createSchema: false,
    max: jobConnectionsMax,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'Job queues failed'))
  const counted = async (name: string, work: () => Promise<unknown>) => {
    try {
      await work()
      metrics.jobs.inc({ name, outcome: 'done' })
    } catch (error) {
      metrics.jobs.inc({ name, outcome: 'failed' })
      log.error({ err: error, job: name }, 'Job failed')
      throw error
    }
  }
  return {
    name: 'jobs',
    async run() {
      await boss.start()
      for (const { name, when, begin } of jobs) {
        const work = 'cron' in when ? begin(parts) : null
        if (work === null || !('cron' in when)) continue
        await boss.createQueue(name, { policy: 'exclusive', retryLimit: 3, retryDelay: 60 })
        await boss.schedule(name, when.cron, null, { tz: 'UTC' })
        await boss.work(name, { pollingIntervalSeconds: pollSeconds }, () => counted(name, work))
      }
      // A schedule of an earlier version without a job would fill its queue.
      for (const { name } of await boss.getSchedules())
        if (!jobs.some((job) => job.name === name)) await boss.unschedule(name)
    },
    async drain() {
      await boss.stop({ graceful: true, timeout: stopMs })
    },
    async stop() {},
  }
}
