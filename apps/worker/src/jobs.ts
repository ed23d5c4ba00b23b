import type { Job, JobParts } from '@muster/areas/job.ts'
import type { Service } from '@muster/kit/service.ts'
import { PgBoss } from 'pg-boss'
import { exclusively } from './exclusive.ts'
import { jobConnectionsMax } from './limits.ts'
import type { WorkerMetrics } from './metrics.ts'
import { periodic } from './periodic.ts'

/** The services that do the jobs which come again after a fixed time. */
export function repeatedJobs(jobs: readonly Job[], parts: JobParts): Service[] {
  return jobs.flatMap(({ name, when, by, begin }) => {
    const work = 'everyMs' in when ? begin(parts) : null
    if (work === null || !('everyMs' in when)) return []
    const turn = by === 'every worker' ? work : () => exclusively(parts.redis, name, work)
    return periodic(name, when.everyMs, parts.log, turn)
  })
}

const schema = 'pgboss'
const pollSeconds = 15
const stopMs = 5_000

/** The queues of the jobs that have a schedule. Their tables stand in a schema that this login may create tables in. */
export function scheduledJobs(
  jobs: readonly Job[],
  parts: JobParts,
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
  boss.on('error', (error) => log.warn({ err: error }, 'the job queues have trouble'))
  const counted = async (name: string, work: () => Promise<unknown>) => {
    try {
      await work()
      metrics.jobs.inc({ name, outcome: 'done' })
    } catch (error) {
      metrics.jobs.inc({ name, outcome: 'failed' })
      log.error({ err: error, job: name }, 'a job failed')
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
      // What an earlier version scheduled and this one does not know would fill its queue.
      for (const { name } of await boss.getSchedules())
        if (!jobs.some((job) => job.name === name)) await boss.unschedule(name)
    },
    async drain() {
      await boss.stop({ graceful: true, timeout: stopMs })
    },
    async stop() {},
  }
}
