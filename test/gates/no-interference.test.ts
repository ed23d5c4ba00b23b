// Case D6: the responses to one tenant do not depend on other tenants. The same requests are repeated while random
// neighbors are added to the same database. Every response must stay the same byte for byte, with counts and headers.
import { testServer } from '@muster/admin/testing/server.ts'
import { live } from '@muster/areas/control/live/live.contract.ts'
import { operations } from '@muster/areas/registry.ts'
import { createRuntime } from '@muster/areas/runtime.ts'
import { publishLive } from '@muster/backplane/live.ts'
import type { Scope } from '@muster/kit/contract.ts'
import { events } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person } from '@muster/testkit/world.ts'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { responseText, withoutVolatile } from './comparable-response.ts'
import { exampleOf } from './example-of.ts'
import { addNeighbor, anyNeighbor, mark } from './neighbors.ts'
import { withoutTrace } from './probe.ts'
import { runs } from './runs.ts'
import { buildStage } from './stage.ts'

const worlds = runs(200)
/** Requests repeated after each neighbor, in turn; all of them are repeated at the end. */
const batch = 6

const services = await testServices()
const { stage, world, marks } = await buildStage()
const app = await testServer({
  runtime: withoutTrace(createRuntime(services)),
  log: services.log,
})
afterAll(() => app.close())

const tenant = { scope: 'partner', partnerId: world.partner.id } as const
const selected = await person(tenant, { role: 'Partner Admin', orgAccess: 'selected', orgIds: [world.org.id] })
const people: readonly { name: string; scope: Scope; who: Person }[] = [
  { name: 'partner', scope: 'partner', who: world.partnerAdmin },
  { name: 'selected', scope: 'partner', who: selected },
  { name: 'organization', scope: 'organization', who: world.orgAdmin },
]
// Sign-in attempts are counted in Redis across all tenants, on purpose, so these responses change with every attempt.
const countsTries = /^auth\.(mfa|passkeys|password|phone|registration)\./
const requests = operations
  .filter(
    ({ id, endpoint }) => endpoint.access.who !== 'public' && endpoint.kind !== 'subscription' && !countsTries.test(id),
  )
  .flatMap((operation) =>
    people
      .filter(({ scope }) => operation.endpoint.access.scopes.includes(scope))
      .map((from) => ({ ...from, operation, id: `${operation.id} of ${from.name}` })),
  )
/** The unique value that the requests use; neighbors try to take it first. */
const taken = 'ffee00112233'
const idsIn = (value: object) => JSON.stringify(value).match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []
const known = new Set(idsIn({ stage, world, selected }))

async function ask({ operation, scope, who }: (typeof requests)[number]): Promise<string> {
  const given = exampleOf(operation).input({ ...stage, fresh: () => taken }, scope)
  return responseText(app, operation, who.token, Object(given), known)
}

async function watch(who: Person) {
  const leaving = new AbortController()
  afterAll(() => leaving.abort())
  const stream = events(who, live.events, {}, { signal: leaving.signal })
  await stream.next()
  return stream
}

it('D6: no answer, header, count, cursor or event reveals other tenants', { timeout: 600_000 }, async () => {
  const watchers = await Promise.all(people.map(({ who }) => watch(who)))
  const before = new Map<string, string>()
  for (const request of requests) before.set(request.id, await ask(request))
  const compare = async (some: typeof requests) => {
    for (const request of some) {
      const now = await ask(request)
      expect(now, request.id).toBe(before.get(request.id))
      expect(now.includes(`${mark} `), `${request.id} shows a neighbor`).toBe(false)
    }
  }
  // Once without neighbors: values that differ every time must not count as interference.
  await compare(requests)
  const names = [
    ...Object.values(marks),
    `sample-${marks.device}`,
    'Site',
    taken,
    `${taken}@example.test`,
    world.org.name,
  ]
  const neighbors = fc.sample(anyNeighbor(names), worlds)
  for (const [index, neighbor] of neighbors.entries()) {
    await addNeighbor(neighbor)
    const turn = Array.from({ length: batch }, (_, step) => requests[(index * batch + step) % requests.length])
    await compare(turn.filter((request) => request !== undefined))
  }
  await compare(requests)
  // Until this last event, each watcher may only get events of its own devices, caused by the requests above.
  const end = { type: 'device.status' as const, orgId: stage.org, siteId: stage.site, deviceId: stage.device, at: 7 }
  await publishLive(services.redis, world.partner.id, [{ ...end, status: 'online' }])
  for (const watcher of watchers) {
    for await (const event of watcher) {
      if (event.at === end.at) break
      expect(idsIn(event)).toContainEqual(expect.toBeOneOf([stage.org, stage.otherOrg]))
    }
  }
})

it('compares answers without ids and timestamps, and with everything else', () => {
  const [one, two] = ['a1b2c3d4-0000-4000-8000-000000000001', 'a1b2c3d4-0000-4000-8000-000000000002']
  const text = `{"id":"${one}","by":"${two}","again":"${one}","at":"2026-01-31T09:00:00.123Z","total":3}`
  expect(withoutVolatile(text, new Set([two]))).toBe(
    `{"id":"<id 0>","by":"${two}","again":"<id 0>","at":"<moment>","total":3}`,
  )
})
