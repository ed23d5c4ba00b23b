import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { executions } from '../../scripts/executions/executions.contract.ts'
import { scripts } from '../../scripts/scripts.contract.ts'
import { usage } from './usage.contract.ts'

const { system } = await testServices()
const here = await world()
const devices = await enrolled(here.partnerAdmin, { orgId: here.org.id }, 'use-one', 'use-two')
const [foreign = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'use-other')

/** Notes the end of runs of one device, each with its seconds and its age in days. */
async function ended(
  id: string,
  deviceId: string,
  severity: string | null,
  { seconds = 1, days = 0, version = 1 } = {},
) {
  const { executions: ran } = await call(here.partnerAdmin, executions.execute, { id, deviceIds: [deviceId] })
  const run = ran[0]
  await system.query(
    `UPDATE device_commands SET status = 'completed', started_at = now() - make_interval(days => $2, secs => $3),
      finished_at = now() - make_interval(days => $2) WHERE id = $1`,
    [run?.commandId, days, seconds],
  )
  await system.query(
    `UPDATE script_executions SET severity = $2, created_at = now() - make_interval(days => $3), version = $4 WHERE id = $1`,
    [run?.id, severity, days, version],
  )
}

it('the usage of a script counts its runs on devices within reach', async () => {
  const { id } = await call(here.partnerAdmin, scripts.create, {
    ...{ name: 'Counted', language: 'sh', content: 'id', sharedWithOrganizations: true },
  })
  const [one = '', two = ''] = devices
  expect(await call(here.orgAdmin, usage.get, { id })).toMatchObject({
    ...{ runs: 0, successPercent: null, lastRunAt: null, durationMs: { p50: null, p95: null }, byVersion: [] },
  })
  await ended(id, one, 'success', { seconds: 1 })
  await ended(id, one, 'info', { seconds: 2, days: 1 })
  await ended(id, two, 'error', { seconds: 3, days: 1, version: 2 })
  await ended(id, two, null)
  await ended(id, two, 'success', { days: 40 })
  await ended(id, foreign, 'critical')
  const seen = await call(here.orgAdmin, usage.get, { id, days: 3 })
  expect(seen).toMatchObject({
    ...{ runs: 4, succeeded: 2, failed: 1, successPercent: 66.7, devices: 2, durationMs: { p50: 1_500 } },
    byVersion: [
      { version: 2, runs: 1, successPercent: 0 },
      { version: 1, runs: 3, successPercent: 100 },
    ],
  })
  expect(seen.byDay.map(({ runs, failed }) => [runs, failed])).toEqual([
    [0, 0],
    [2, 1],
    [2, 0],
  ])
  expect(seen.lastRunAt).toBe(new Date(seen.lastRunAt ?? '').toISOString())
  expect(await call(here.partnerAdmin, usage.get, { id })).toMatchObject({ runs: 5, byDay: { length: 30 } })
  expect(await refusal(call(here.orgAdmin, usage.get, { id, days: 0 }))).toMatchObject({ status: 400 })
})
