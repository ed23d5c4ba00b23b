// Case L7, at a small scale: a flood of sign-ins from many addresses while a user works.
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { world } from '@muster/testkit/world.ts'
import { afterAll, expect, it } from 'vitest'
import { startSignIns } from '../../../bench/src/sign-ins.ts'
import { technicians } from './people.ts'
import { startServer } from './servers.ts'

const perSecond = 500
const here = await world()
const server = await startServer()
const people = await technicians(here, 20)
const strangers = startSignIns()
afterAll(() => strangers.stop())
const flood = (seconds: number) =>
  strangers.run({ url: server.url, people, seconds, perSecond, unknownShare: 0.5, wrongShare: 1 })

/** A working user: sends a request every 20 ms without waiting for responses. @returns the response times */
async function working(seconds: number): Promise<number[]> {
  const asked: Promise<number>[] = []
  const once = async () => {
    const began = performance.now()
    await server.request('GET', `/api/v1/orgs/sites/${here.site.id}`, { token: here.orgAdmin.token })
    return performance.now() - began
  }
  for (let at = 0; at < seconds * 1000; at += 20) {
    asked.push(once())
    await pause(20)
  }
  return Promise.all(asked)
}

const percentile = (times: readonly number[], share: number) => {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
const residentBytes = async () =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024

it('L7: rejects a flood of sign-ins quickly, and keeps serving users who work', {
  timeout: 120_000,
}, async () => {
  await Promise.all([flood(2), working(2)])
  const before = await residentBytes()
  const idle = await working(3)
  const [outcomes, busy] = await Promise.all([flood(6), working(6)])
  const after = await residentBytes()
  const refused = outcomes.filter(({ status }) => status === 429 || status === 503).map(({ ms }) => ms)
  const figures = {
    verified: outcomes.filter(({ status }) => status === 401).length,
    refused: refused.length,
    unanswered: outcomes.filter(({ status }) => status === 0).length,
    refusedP50: percentile(refused, 0.5),
    refusedP95: percentile(refused, 0.95),
    idleP50: percentile(idle, 0.5),
    idleP95: percentile(idle, 0.95),
    busyP50: percentile(busy, 0.5),
    busyP95: percentile(busy, 0.95),
    grownMB: (after - before) / 1e6,
  }
  console.log(figures)
  expect(figures.unanswered).toBe(0)
  expect(figures.verified + figures.refused).toBe(outcomes.length)
  expect(figures.verified).toBeGreaterThan(0)
  expect(figures.grownMB).toBeLessThan(300)
  // The benchmark measures exact times on an idle machine. Here other tests share the cores, so the bounds are wide.
  // They still show that no user waits for the flood, whose verification would take half a minute.
  expect(figures.refusedP50).toBeLessThan(10_000)
  expect(figures.busyP50).toBeLessThan(1_000)
})
