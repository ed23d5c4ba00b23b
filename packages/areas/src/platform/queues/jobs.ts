import { asSystem, type Db } from '@muster/db/database.ts'
import { emptyPage, pagedSql } from '@muster/db/page.ts'
import { conflict, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { implement } from '../../operation.ts'
import { jobs as contract, type Job, type Queue } from './jobs.contract.ts'

// The tables belong to pg-boss. Workers create them at their first start.
const tablesExist = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ there: boolean }>`SELECT to_regclass('pgboss.job') IS NOT NULL AS there`.execute(db)
  return rows[0]?.there === true
}

const said = sql`coalesce(output ->> 'message', output #>> '{value,message}', output ->> 'value', output::text)`
const columns = sql`id, name AS queue, state::text, retry_count AS tries, retry_limit AS tries_max,
  CASE WHEN state IN ('failed', 'retry', 'cancelled') THEN left(${said}, 2000) END AS last_error,
  created_on AS created_at, start_after AS due_at, started_on AS started_at, completed_on AS completed_at`

export default implement(contract, {
  async queues({ services }) {
    return asSystem(services.system, async (db) => {
      if (!(await tablesExist(db))) return { data: [] }
      const { rows } = await sql<Queue>`
        SELECT q.name, s.cron AS schedule,
          count(j.id) FILTER (WHERE j.state IN ('created', 'retry')) AS waiting,
          count(j.id) FILTER (WHERE j.state = 'active') AS active,
          count(j.id) FILTER (WHERE j.state = 'completed') AS completed,
          count(j.id) FILTER (WHERE j.state = 'failed') AS failed,
          max(j.completed_on) FILTER (WHERE j.state = 'completed') AS last_completed_at,
          max(j.completed_on) FILTER (WHERE j.state = 'failed') AS last_failed_at,
          (SELECT left(${said}, 2000) FROM pgboss.job WHERE name = q.name AND state = 'failed'
            ORDER BY completed_on DESC LIMIT 1) AS last_error
        FROM pgboss.queue q
        LEFT JOIN pgboss.schedule s ON s.name = q.name AND s.key = ''
        LEFT JOIN pgboss.job j ON j.name = q.name
        WHERE q.name NOT LIKE '\\_\\_pgboss\\_\\_%'
        GROUP BY q.name, s.cron ORDER BY q.name`.execute(db)
      return { data: rows }
    })
  },

  async list({ input: { page, limit, queue, state }, services }) {
    return asSystem(services.system, async (db) => {
      if (!(await tablesExist(db))) return emptyPage({ page, limit })
      const where = sql`name NOT LIKE '\\_\\_pgboss\\_\\_%'
        AND (${queue ?? null}::text IS NULL OR name = ${queue ?? null})
        AND (${state ?? null}::text IS NULL OR state::text = ${state ?? null})`
      const rows = sql<Job>`SELECT ${columns} FROM pgboss.job WHERE ${where}`
      return pagedSql(db, { rows, orderBy: sql`created_on DESC, id` }, { page, limit })
    })
  },

  async retry({ input: { id }, write, audit }) {
    return write(async (db) => {
      if (!(await tablesExist(db))) throw notFound('Job')
      const failed = await jobById(db, id)
      if (failed.state !== 'failed') throw conflict('Only a failed job can be retried')
      await sql`UPDATE pgboss.job SET state = 'retry', retry_limit = retry_limit + 1, completed_on = NULL, start_after = now()
        WHERE id = ${id} AND name = ${failed.queue} AND state = 'failed'`.execute(db)
      audit({ target: id, name: failed.queue, details: { lastError: failed.lastError, tries: failed.tries } })
      return jobById(db, id)
    })
  },
})

async function jobById(db: Db, id: string): Promise<Job> {
  const { rows } = await sql<Job>`SELECT ${columns} FROM pgboss.job WHERE id = ${id} FOR UPDATE`.execute(db)
  const [job] = rows
  if (job === undefined) throw notFound('Job')
  return job
}
