// Cases B6 and B8: input that tries to exhaust the parser is rejected early, over REST and tRPC.
import { testServer } from '@muster/admin/testing/server.ts'
import { operations } from '@muster/areas/registry.ts'
import { createRuntime } from '@muster/areas/runtime.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { exampleOf } from './example-of.ts'
import { probe, withoutTrace } from './probe.ts'
import { buildStage } from './stage.ts'

const services = await testServices()
const here = await world()
const { stage } = await buildStage()
const app = await testServer({
  runtime: withoutTrace(createRuntime(services)),
  log: services.log,
})
afterAll(() => app.close())
const authorization = `Bearer ${here.systemAdmin.token}`

const nested = (open: string, close: string, depth: number, inner = '') =>
  open.repeat(depth) + inner + close.repeat(depth)
const fields = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')
const bodies: Record<string, string | Buffer> = {
  'a hundred thousand nested lists': nested('[', ']', 100_000),
  'a hundred thousand nested objects': nested('{"settings":', '}', 50_000, '{}'),
  'lists in a field': `{"name":"x","slug":"x","ssoConfig":${nested('[', ']', 100_000)}}`,
  'a hundred thousand unclosed lists': nested('[', '', 100_000),
  '80,000 fields': `{${fields(80_000)}}`,
  'a million bytes and more': `{"name":"${'x'.repeat(1_100_000)}"}`,
  'a million fields': `{${fields(1_000_000)}}`,
  'a field twice': '{"name":"x","slug":"one","slug":"two"}',
  'a field twice, once escaped': '{"name":"x","slug":"one","\\u0073lug":"two"}',
  'a field twice, deep inside': '{"name":"x","slug":"x","settings":{"contact":{"name":"a","name":"b"}}}',
  'a number that is too large': '{"name":"x","slug":"x","maxDevices":1e999}',
  'a number with a thousand digits': `{"name":"x","slug":"x","maxDevices":${'9'.repeat(1_000)}}`,
  'a number in another notation': '{"name":"x","slug":"x","maxDevices":0x10}',
  'half a surrogate pair': '{"name":"\\ud800","slug":"x"}',
  'half a surrogate pair as a field name': '{"name":"x","slug":"x","settings":{"\\udfff":1}}',
  'a NUL': '{"name":"a\\u0000b","slug":"x"}',
  'bytes that are not UTF-8': Buffer.from([0x7b, 0x22, 0x6e, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  'the prototype': '{"__proto__":{"name":"x"},"name":"x","slug":"x"}',
  'the prototype of the constructor': '{"constructor":{"prototype":{"name":"x"}},"name":"x","slug":"x"}',
  'the prototype, deep inside': '{"name":"x","slug":"x","ssoConfig":{"a":{"__proto__":{"b":1}}}}',
  'a list': '[{"name":"x","slug":"x"}]',
  'a string': '"name"',
  'two values': '{"name":"x","slug":"x"}{}',
  'a comment': '{"name":"x",/* */"slug":"x"}',
  'a trailing comma': '{"name":"x","slug":"x",}',
  'only an opening brace': '{',
}
const doors = { REST: '/api/v1/orgs/partners', tRPC: '/trpc/tenancy.partners.create' }
/** The longest time that the worst of them may take, on a busy machine. */
const cpuMsMax = 500

describe.each(Object.entries(doors))('B6: through %s', (_door, url) => {
  it.each(Object.entries(bodies))('%s is rejected', async (_what, payload) => {
    const began = process.cpuUsage()
    const answer = await app.inject({
      method: 'POST',
      url,
      headers: { authorization, 'content-type': 'application/json' },
      payload,
    })
    const { user } = process.cpuUsage(began)
    expect([400, 413]).toContain(answer.statusCode)
    expect(user / 1000).toBeLessThan(cpuMsMax)
    expect(answer.body.length).toBeLessThan(5_000)
    expect(Reflect.get({}, 'name')).toBeUndefined()
  })
})

describe('B6: a batch', () => {
  it('has at most thirty calls', async () => {
    const batch = (calls: number) =>
      app.inject({ url: `/trpc/${Array(calls).fill('health.health.get').join(',')}?batch=1&input=%7B%7D` })
    expect((await batch(30)).statusCode).toBe(200)
    for (const calls of [31, 300, 5_000]) expect([400, 404, 414]).toContain((await batch(calls)).statusCode)
  })
})

/** Strings on which backtracking patterns are slow: a long run, then a character that does not match. */
const runs = ['a', '0', ' ', '-', '.', '@', 'a@', '.a', '-a', '/', ':', '%', 'é', '<', "'", '\\', '_a'].flatMap(
  (unit) => ['', '!', '\u0001', '@', ' x'].map((end) => unit.repeat(50_000 / unit.length) + end),
)

interface JsonSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly anyOf?: readonly JsonSchema[]
}
const takesText = (schema: JsonSchema): boolean => schema.type === 'string' || (schema.anyOf ?? []).some(takesText)
const textFields = (schema: z.ZodType) => {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return Object.entries(described.properties ?? {}).flatMap(([name, its]) => (takesText(its) ? [name] : []))
}

describe('B8: no pattern of any field is slow', () => {
  const withText = operations.filter(({ endpoint }) => textFields(endpoint.input).length > 0)

  it.each(withText.map((operation) => ({ id: operation.id, operation })))('of $id', ({ operation }) => {
    const { input } = operation.endpoint
    const right = Object(exampleOf(operation).input(stage, 'partner'))
    for (const field of textFields(input)) {
      const began = process.cpuUsage()
      for (const text of runs) input.safeParse({ ...right, [field]: text })
      // The total for all strings: fifty milliseconds for each would be four seconds.
      expect(process.cpuUsage(began).user / 1000, field).toBeLessThan(4_000)
    }
  })
})

describe('B8: expressions are limited', () => {
  const operationOf = (id: string) => {
    const operation = operations.find((one) => one.id === id)
    if (operation === undefined) throw new Error(`there is no ${id}`)
    return operation
  }
  const leaf = { field: 'hostname', op: 'contains', value: '%_\\'.repeat(100) }
  const deep = (depth: number): object => (depth === 0 ? leaf : { not: deep(depth - 1) })
  const wide = (count: number) => ({ any: Array.from({ length: count }, () => leaf) })

  it('filters in depth and breadth', async () => {
    const tries = async (filter: object) =>
      (await probe(operationOf('filters.filters.preview'), here.partnerAdmin, { filter })).status
    expect(await tries(deep(5))).toBe(200)
    expect(await tries(wide(90))).toBe(200)
    for (const filter of [deep(6), deep(5_000), wide(101), wide(20_000)]) expect(await tries(filter)).toBe(400)
  })

  it('searches in time, for any text', async () => {
    const odd = [
      '%'.repeat(200),
      '_'.repeat(200),
      '\\'.repeat(200),
      "' OR 1=1 --",
      '((((',
      ':*&|!<->',
      '(a|a)*b'.repeat(20),
      '💥'.repeat(50),
    ]
    for (const q of odd) {
      for (const id of ['search.search.find', 'audit.logs.search']) {
        const { status, failure } = await probe(operationOf(id), here.partnerAdmin, { q })
        expect({ id, q, failure, fine: status === 200 || status === 400 }).toMatchObject({ failure: null, fine: true })
      }
    }
  })
})
