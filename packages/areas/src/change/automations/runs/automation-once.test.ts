// Workers lose their connections in the middle of what they do, as they do when they are killed.
import { randomUUID } from 'node:crypto'
import { createPool } from '@muster/db/pool.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testDatabase } from '@muster/testkit/stores.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, expect, it } from 'vitest'
import { automations } from '../automations.contract.ts'
import { moveRuns } from './engine/engine.jobs.ts'
import { runs } from './runs.contract.ts'

const { system } = await testServices()
const { org, partner, partnerAdmin } = await world()
const kills = 50
const runCount = 30
const name = `doomed ${randomUUID().slice(0, 8)}`
const pool = createPool({ url: testDatabase().systemUrl, name, max: 8 })
afterAll(() => pool.end())
const parts = await testWorkerParts(pool)

const openRuns = async (): Promise<number> => {
  const { rows } = await system.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM automation_runs WHERE partner_id = $1 AND status IN ('queued', 'running')`,
    [partner.id],
  )
  return rows[0]?.open ?? 0
}

/** Ends a connection that is in the middle of a transaction. @returns whether there was one */
async function kill(): Promise<boolean> {
  const { rows } = await system.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = $1 AND xact_start IS NOT NULL ORDER BY random() LIMIT 1`,
    [name],
  )
  return rows.length > 0
}

it(`automation-once: two workers that die at ${kills} moments carry out each step of each run once`, async () => {
  const [device = ''] = await enrolled(partnerAdmin, { orgId: org.id }, 'once-one')
  const tell = (title: string) => ({ type: 'notify' as const, title, message: '{{ run.id }}' })
  const { id } = await call(partnerAdmin, automations.create, {
    ...{ orgId: org.id, name: 'Once', trigger: { type: 'manual' }, overlap: 'parallel', maxRunsPerHour: 1_000 },
    actions: [tell('first'), { type: 'add_tag', tag: 'once' }, tell('second')],
  })
  let killed = 0
  let isOver = false
  const worker = async () => {
    while (!isOver) await moveRuns(parts).catch(() => undefined)
  }
  const workers = [worker(), worker()]
  while (killed < kills) {
    if ((await openRuns()) < 5)
      for (let count = 0; count < runCount; count++) await call(partnerAdmin, runs.run, { id, deviceIds: [device] })
    if (await kill()) killed++
  }
  while ((await openRuns()) > 0) {}
  isOver = true
  await Promise.all(workers)
  const { rows } = await system.query<{ status: string; steps: number; notices: number; repeated: number }>(
    `SELECT r.status, (SELECT count(*)::int FROM automation_steps s WHERE s.run_id = r.id AND s.status = 'succeeded') AS steps,
       (SELECT count(*)::int FROM notifications n WHERE n.body = r.id::text) AS notices,
       (SELECT count(*)::int FROM notifications n WHERE n.body = r.id::text AND n.count > 1) AS repeated
     FROM automation_runs r WHERE r.automation_id = $1`,
    [id],
  )
  expect(rows.length).toBeGreaterThanOrEqual(runCount)
  for (const row of rows) expect(row).toEqual({ status: 'completed', steps: 3, notices: 2, repeated: 0 })
}, 120_000)
