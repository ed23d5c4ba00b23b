import { can, get, id, page, pageOf, personCan, post, time } from '@muster/kit/contract.ts'
import { z } from 'zod'

/** Created, waiting for a retry, running, done, canceled, or failed for good. */
const jobState = z.enum(['created', 'retry', 'active', 'completed', 'cancelled', 'failed'])

/** One job of a queue. */
export const Job = z.object({
  id: id(),
  queue: z.string(),
  state: jobState,
  tries: z.number(),
  triesMax: z.number(),
  lastError: z.string().nullable(),
  createdAt: time(),
  dueAt: time(),
  startedAt: time().nullable(),
  completedAt: time().nullable(),
})
export type Job = z.infer<typeof Job>

/** A job queue with its number of jobs by state. */
export const Queue = z.object({
  name: z.string(),
  /** The schedule as a cron expression in UTC; null for a queue without one. */
  schedule: z.string().nullable(),
  waiting: z.number(),
  active: z.number(),
  completed: z.number(),
  failed: z.number(),
  lastCompletedAt: time().nullable(),
  lastFailedAt: time().nullable(),
  /** The error of the newest failed job. */
  lastError: z.string().nullable(),
})
export type Queue = z.infer<typeof Queue>

const access = can('*:*', 'system')

export const jobs = {
  queues: get('/system/queues', {
    summary: 'List job queues with their schedules and numbers of jobs by state',
    access,
    input: z.object({}),
    output: z.object({ data: z.array(Queue) }),
    transaction: 'own',
  }),
  list: get('/system/jobs', {
    summary: 'List jobs, newest first. Finished jobs are kept for some days',
    access,
    input: z.object({ queue: z.string().trim().min(1).max(255).optional(), state: jobState.optional(), ...page }),
    output: pageOf(Job),
    transaction: 'own',
  }),
  retry: post('/system/jobs/:id/retry', {
    summary: 'Retry a failed job',
    access: personCan('*:*', 'system'),
    audit: 'job.retry',
    input: z.object({ id: id() }),
    output: Job,
    transaction: 'own',
  }),
}
