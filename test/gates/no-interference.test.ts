// Case D6: what one tenant sees does not depend on any other. The same questions are asked with more and more random
// neighbours in the same database, and every answer has to stay what it was, to the byte: counts, cursors, headers and all.
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
import { responseText, withoutNews } from './comparable-response.ts'
import { exampleOf } from './example-of.ts'
import { anyNeighbour, mark, moveIn } from './neighbours.ts'
import { withoutTrace } from './probe.ts'
import { runs } from './runs.ts'
import { buildStage } from './stage.ts'

const worlds = runs(200)
/** Questions after each neighbour, in turn; all of them at the end. */
const asked = 6

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
// What it takes to sign in is counted in Redis for everybody, on purpose, and changes with every try.
const countsTries = /^auth\.(mfa|passkeys|password|phone|registration)\./
const questions = operations
  .filter(
    ({ id, endpoint }) => endpoint.access.who !== 'public' && endpoint.kind !== 'subscription' && !countsTries.test(id),
  )
  .flatMap((operation) =>
    people
      .filter(({ scope }) => operation.endpoint.access.scopes.includes(scope))
      .map((from) => ({ ...from, operation, id: `${operation.id} of ${from.name}` })),
  )
/** What the questions themselves would take if nobody had it; neighbours try to take it first. */
const taken = 'ffee00112233'
const idsIn = (value: object) => JSON.stringify(value).match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []
const known = new Set(idsIn({ stage, world, selected }))

async function ask({ operation, scope, who }: (typeof questions)[number]): Promise<string> {
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

it('D6: no answer, header, count, cursor or event tells that there are others', { timeout: 600_000 }, async () => {
  const watchers = await Promise.all(people.map(({ who }) => watch(who)))
  const before = new Map<string, string>()
  for (const question of questions) before.set(question.id, await ask(question))
  const compare = async (some: typeof questions) => {
    for (const question of some) {
      const now = await ask(question)
      expect(now, question.id).toBe(before.get(question.id))
      expect(now.includes(`${mark} `), `${question.id} shows a neighbour`).toBe(false)
    }
  }
  // Without neighbours first: what is new every time is no interference.
  await compare(questions)
  const names = [
    ...Object.values(marks),
    `sample-${marks.device}`,
    'Site',
    taken,
    `${taken}@example.test`,
    world.org.name,
  ]
  const neighbours = fc.sample(anyNeighbour(names), worlds)
  for (const [index, neighbour] of neighbours.entries()) {
    await moveIn(neighbour)
    const turn = Array.from({ length: asked }, (_, step) => questions[(index * asked + step) % questions.length])
    await compare(turn.filter((question) => question !== undefined))
  }
  await compare(questions)
  // Up to one of its own, everybody was told of its own devices alone: by what the questions do and take back.
  const end = { type: 'device.status' as const, orgId: stage.org, siteId: stage.site, deviceId: stage.device, at: 7 }
  await publishLive(services.redis, world.partner.id, [{ ...end, status: 'online' }])
  for (const watcher of watchers) {
    for await (const event of watcher) {
      if (event.at === end.at) break
      expect(idsIn(event)).toContainEqual(expect.toBeOneOf([stage.org, stage.otherOrg]))
    }
  }
})

it('answers are compared without ids and moments, and with everything else', () => {
  const [one, two] = ['a1b2c3d4-0000-4000-8000-000000000001', 'a1b2c3d4-0000-4000-8000-000000000002']
  const text = `{"id":"${one}","by":"${two}","again":"${one}","at":"2026-01-31T09:00:00.123Z","total":3}`
  expect(withoutNews(text, new Set([two]))).toBe(
    `{"id":"<id 0>","by":"${two}","again":"<id 0>","at":"<moment>","total":3}`,
  )
})
