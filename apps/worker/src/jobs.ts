import { remindReviewers } from '@muster/areas/access/access-reviews/reminders.jobs.ts'
import { forgetOldSessions } from '@muster/areas/access/auth/sessions/forget.jobs.ts'
import { ensureAuditPartitions } from '@muster/areas/platform/audit/chain/chain.jobs.ts'
import { forgetOldMail } from '@muster/areas/platform/mail/sender.jobs.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import type { Log } from '@muster/kit/log.ts'
import type { Service } from '@muster/kit/service.ts'
import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { forgetInventoryChanges } from './inventory-log.ts'
import { auditPartitionMonthsAhead, jobConnectionsMax } from './limits.ts'
import { dropOldMetrics, ensureMetricPartitions, keptFrom, type MetricDays } from './metric-retention.ts'
import { rollUpMetrics } from './metric-rollups.ts'
import type { WorkerMetrics } from './metrics.ts'

export interface JobParts {
  pool: pg.Pool
  redis: Redis
  log: Log
  /** Where people reach this service. */
  publicUrl: string
  metricDays: MetricDays
}

/** Background work: done once per time of its schedule, whichever worker gets to it first. */
export interface Job {
  /** Name of its queue. */
  name: string
  /** When it is due, as a cron line in UTC. */
  schedule: string
  run(parts: JobParts): Promise<void>
}

/** Every job that workers do. */
export const jobs: readonly Job[] = [
  {
    name: 'metric-partitions',
    schedule: '17 1 * * *',
    async run({ pool, log }) {
      log.info({ made: await ensureMetricPartitions(pool) }, 'partitions for metrics made')
    },
  },
  {
    // Two minutes after each time is over.
    name: 'metric-rollups',
    schedule: '2-57/5 * * * *',
    async run({ pool, log, metricDays }) {
      const now = Date.now()
      log.debug(await rollUpMetrics(pool, now, keptFrom(metricDays.raw, now)), 'metrics rolled up')
    },
  },
  {
    name: 'metric-retention',
    schedule: '37 1 * * *',
    async run({ pool, log, metricDays }) {
      log.info({ dropped: await dropOldMetrics(pool, metricDays, Date.now()) }, 'old metrics dropped')
    },
  },
  {
    name: 'audit-partitions',
    schedule: '23 1 * * *',
    async run({ pool }) {
      await ensureAuditPartitions(pool, auditPartitionMonthsAhead)
    },
  },
  {
    name: 'access-review-reminders',
    schedule: '7 * * * *',
    async run({ pool, log, publicUrl }) {
      log.info({ mails: await remindReviewers(pool, publicUrl) }, 'reviewers reminded')
    },
  },
  {
    name: 'forget',
    schedule: '43 2 * * *',
    async run({ pool, log }) {
      await forgetOldMail(pool)
      await forgetInventoryChanges(pool)
      log.info({ sessions: await forgetOldSessions(pool) }, 'old mail, sessions and links forgotten')
    },
  },
]

const schema = 'pgboss'
const pollSeconds = 15
const stopMs = 5_000

/** The job queues. Their tables stand in a schema that already exists and that this login may create tables in. */
export function createJobs(
  options: { databaseUrl: string; metrics: WorkerMetrics; registered?: readonly Job[] } & JobParts,
): Service {
  const { databaseUrl, metrics, log, registered = jobs } = options
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'worker-jobs',
    schema,
    createSchema: false,
    max: jobConnectionsMax,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'the job queues have trouble'))
  const work = async (job: Job) => {
    try {
      await job.run(options)
      metrics.jobs.inc({ name: job.name, outcome: 'done' })
    } catch (error) {
      metrics.jobs.inc({ name: job.name, outcome: 'failed' })
      log.error({ err: error, job: job.name }, 'a job failed')
      throw error
    }
  }
  return {
    name: 'jobs',
    async run() {
      await boss.start()
      for (const job of registered) {
        await boss.createQueue(job.name, { policy: 'exclusive', retryLimit: 3, retryDelay: 60 })
        await boss.schedule(job.name, job.schedule, null, { tz: 'UTC' })
        await boss.work(job.name, { pollingIntervalSeconds: pollSeconds }, () => work(job))
      }
    },
    async drain() {
      await boss.stop({ graceful: true, timeout: stopMs })
    },
    async stop() {},
  }
}
