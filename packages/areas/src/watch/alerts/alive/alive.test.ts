import { createPool } from '@muster/db/pool.ts'
import { call } from '@muster/testkit/call.ts'
import { receiver, status } from '@muster/testkit/receiver.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { webhooks } from '../../webhooks/webhooks.contract.ts'
import { evaluateCanary, sendCanary } from './alive.jobs.ts'

const { system } = await testServices()

const eventsOf = async (partnerId: string) =>
  (await system.query(`SELECT org_id, data FROM events WHERE type = 'system.alive' AND partner_id = $1`, [partnerId]))
    .rows

it('tells the webhooks that name it each minute that alerts are evaluated and stored, and leaves no alert', async () => {
  const [asking, silent] = [await world(), await world()]
  const { url } = await receiver(status(200))
  const given = { name: 'Switch', url }
  await call(asking.partnerAdmin, webhooks.create, { ...given, events: ['system.alive'] })
  await call(silent.partnerAdmin, webhooks.create, { ...given, events: ['*'] })
  const parts = await testWorkerParts()
  await sendCanary(parts)
  expect(await eventsOf(asking.partner.id)).toMatchObject([{ org_id: null, data: { durationMs: expect.any(Number) } }])
  expect(await eventsOf(silent.partner.id)).toEqual([])
  expect(parts.measured.get('alive_timestamp_seconds')).toBeGreaterThan(Date.now() / 1_000 - 60)
  expect((await system.query(`SELECT FROM alerts WHERE key = 'canary'`)).rowCount).toBe(0)
})

it('counts a failure when a stage fails', async () => {
  expect(() => evaluateCanary(50)).toThrow('did not fire')
  const pool = createPool({ url: 'postgres://absent@127.0.0.1:1/none', name: 'unreachable', max: 1 })
  const parts = await testWorkerParts(pool)
  await expect(sendCanary(parts)).rejects.toThrow()
  expect(parts.counted.get('alive_failures_total')).toBe(1)
  expect(parts.measured.has('alive_timestamp_seconds')).toBe(false)
  await pool.end()
})
