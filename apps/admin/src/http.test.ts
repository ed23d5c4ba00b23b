// What HTTP adds to all operations: ETags, conditional requests, idempotency keys, compression, request IDs, rate limits.

import { randomUUID } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { Denials, denialsOf } from '@muster/areas/platform/audit/denials.ts'
import { operations } from '@muster/areas/registry.ts'
import { createRuntime } from '@muster/areas/runtime.ts'
import { signedInLongAgo } from '@muster/testkit/credentials.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { testServer } from './testing/server.ts'

const here = await world()
const services = await testServices()
const { system } = services
const denials = denialsOf(services)
const app = await testServer()
afterAll(() => app.close())

type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
const ask = (
  method: Method,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
  who: Person = here.partnerAdmin,
) =>
  app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${who.token}`, ...headers },
    ...(body && { payload: body }),
  })
const newSite = async () => {
  const made = await ask('POST', '/orgs/sites', {}, { orgId: here.org.id, name: `Site ${randomUUID()}` })
  return `/orgs/sites/${made.json().id}`
}

describe('HEAD', () => {
  it.each(['/health', '/orgs/sites', '/users/me'])(
    'of %s returns the headers of GET without the body',
    async (path) => {
      const [get, head] = [await ask('GET', path), await ask('HEAD', path)]
      expect([head.statusCode, head.body]).toEqual([get.statusCode, ''])
      for (const name of ['content-type', 'content-length', 'cache-control', 'etag'])
        expect(head.headers[name], name).toBe(get.headers[name])
    },
  )
  it('of a stream returns 405', async () => {
    const stream = operations.find(({ endpoint }) => endpoint.kind === 'subscription' && !endpoint.path.includes(':'))
    expect((await ask('HEAD', stream?.endpoint.path ?? '')).statusCode).toBe(405)
  })
})

describe('the version of a resource', () => {
  it('is its ETag, and a matching If-None-Match returns 304', async () => {
    const site = await newSite()
    const { etag = '' } = (await ask('GET', site)).headers
    expect(etag).toMatch(/^"[\w-]+"$/)
    for (const known of [String(etag), `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask('GET', site, { 'if-none-match': known })
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
    }
    expect((await ask('GET', site, { 'if-none-match': '"other"' })).statusCode).toBe(200)
    await ask('PATCH', site, {}, { name: 'Renamed' })
    expect((await ask('GET', site, { 'if-none-match': String(etag) })).statusCode).toBe(200)
  })
  it('guards a change: If-Match with another version returns 412 and changes nothing', async () => {
    const site = await newSite()
    const etag = String((await ask('GET', site)).headers.etag)
    expect((await ask('PATCH', site, { 'if-match': etag }, { name: 'First' })).statusCode).toBe(200)
    const late = await ask('PATCH', site, { 'if-match': etag }, { name: 'Second' })
    expect([late.statusCode, late.json().code]).toEqual([412, 'PRECONDITION_FAILED'])
    expect((await ask('DELETE', site, { 'if-match': etag })).statusCode).toBe(412)
    expect((await ask('PATCH', site, { 'if-match': `W/${etag}` }, { name: 'Weak' })).statusCode).toBe(412)
    expect((await ask('GET', site)).json().name).toBe('First')
    expect((await ask('DELETE', site, { 'if-match': '*' })).statusCode).toBe(200)
  })
  it('lets one of two simultaneous changes with the same If-Match succeed', async () => {
    const site = await newSite()
    const etag = String((await ask('GET', site)).headers.etag)
    const names = ['A', 'B', 'C', 'D', 'E', 'F']
    const answers = await Promise.all(names.map((name) => ask('PATCH', site, { 'if-match': etag }, { name })))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 412, 412, 412, 412, 412])
  })
})

describe('a field', () => {
  it.each(['POST', 'PATCH'] as const)('in the query of a %s is rejected, and the error names it', async (method) => {
    const path = method === 'POST' ? '/orgs/sites' : await newSite()
    const answer = await ask(method, `${path}?name=Elsewhere`, {}, { orgId: here.org.id, name: 'Here' })
    expect([answer.statusCode, answer.json().message]).toEqual([
      400,
      'name: must be sent in the body, not in the query',
    ])
  })
  it('with another value than in the path is rejected, and the error names it', async () => {
    const answer = await ask('PATCH', await newSite(), {}, { id: randomUUID(), name: 'Here' })
    expect([answer.statusCode, answer.json().message]).toEqual([400, 'id: must have the same value as in the path'])
  })
})

describe('an Idempotency-Key', () => {
  const named = (name: string) => ({ orgId: here.org.id, name })
  const count = async (name: string) =>
    (await system.query('SELECT count(*)::int AS n FROM sites WHERE name = $1', [name])).rows[0]?.n

  it('returns the first response to a repeated request', async () => {
    const [key, name] = [randomUUID(), `Once ${randomUUID()}`]
    const first = await ask('POST', '/orgs/sites', { 'idempotency-key': key }, named(name))
    const again = await ask('POST', '/orgs/sites', { 'idempotency-key': key }, named(name))
    expect([again.statusCode, again.body]).toEqual([first.statusCode, first.body])
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([undefined, 'true'])
    expect(await count(name)).toBe(1)
    const other = await ask('POST', '/orgs/sites', { 'idempotency-key': key }, named('Another'))
    expect([other.statusCode, other.json().code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    const stored = await system.query('SELECT answer FROM idempotent_requests WHERE key = $1', [key])
    expect(stored.rows[0]?.answer).not.toContain(name)
  })
  it('makes six simultaneous requests run once', async () => {
    const [key, name] = [randomUUID(), `Six ${randomUUID()}`]
    const all = await Promise.all(
      Array.from({ length: 6 }, () => ask('POST', '/orgs/sites', { 'idempotency-key': key }, named(name))),
    )
    expect(new Set(all.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
    expect(await count(name)).toBe(1)
  })
  it('requires the fresh proof again for a repeated request, when the first one required it', async () => {
    const [who, key] = [
      await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' }),
      randomUUID(),
    ]
    const wanted = { name: 'Key', scopes: ['devices:read'] }
    const first = await ask('POST', '/api-keys', { 'idempotency-key': key }, wanted, who)
    expect(first.statusCode).toBe(201)
    await signedInLongAgo(who)
    const again = await ask('POST', '/api-keys', { 'idempotency-key': key }, wanted, who)
    expect([again.statusCode, again.json().confirm]).toEqual([403, 'currentPassword'])
    expect(again.body).not.toContain(first.json().key)
  })
  it('can be used again after an error, belongs to one caller, and is rejected when it is malformed', async () => {
    const [key, name] = [randomUUID(), `Free ${randomUUID()}`]
    expect(
      (await ask('POST', '/orgs/sites', { 'idempotency-key': key }, { ...named(name), orgId: randomUUID() }))
        .statusCode,
    ).toBeGreaterThanOrEqual(400)
    expect((await ask('POST', '/orgs/sites', { 'idempotency-key': key }, named(name))).statusCode).toBe(201)
    const other = await ask('POST', '/orgs/sites', { 'idempotency-key': key }, named(name), here.orgAdmin)
    expect([other.statusCode, other.headers['idempotency-replayed']]).toEqual([201, undefined])
    expect((await ask('POST', '/orgs/sites', { 'idempotency-key': 'a b' }, named(name))).statusCode).toBe(400)
  })
})

describe('an Idempotency-Key over tRPC', () => {
  const callTrpc = (path: string, key: string, body: object) =>
    app.inject({
      method: 'POST',
      url: `/trpc/${path}`,
      headers: { authorization: `Bearer ${here.partnerAdmin.token}`, 'idempotency-key': key },
      payload: body,
    })

  it('makes six simultaneous requests run once and marks the repeated responses', async () => {
    const [key, name] = [randomUUID(), `Six ${randomUUID()}`]
    const body = { orgId: here.org.id, name }
    const all = await Promise.all(Array.from({ length: 6 }, () => callTrpc('tenancy.sites.create', key, body)))
    expect(new Set(all.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
    expect(all.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(5)
    expect((await system.query('SELECT FROM sites WHERE name = $1', [name])).rowCount).toBe(1)
    const other = await callTrpc('tenancy.sites.create', key, { ...body, name: 'Another' })
    expect([other.statusCode, other.json().error.data.appCode]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })
  it('is the same key as over REST', async () => {
    const [key, name] = [randomUUID(), `Both ${randomUUID()}`]
    const rest = await ask('POST', '/orgs/sites', { 'idempotency-key': key }, { orgId: here.org.id, name })
    const again = await callTrpc('tenancy.sites.create', key, { orgId: here.org.id, name })
    expect([again.json().result.data, again.headers['idempotency-replayed']]).toEqual([rest.json(), 'true'])
  })
})

describe('each response', () => {
  it('has the request ID of the caller when it is well-formed', async () => {
    const id = 'trace-1.a:b/c'
    expect((await ask('GET', '/health', { 'x-request-id': id })).headers['x-request-id']).toBe(id)
    for (const bad of ['a b', 'x'.repeat(129), '"quoted"', 'ä'])
      expect((await ask('GET', '/health', { 'x-request-id': bad })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })
  it.each([
    { what: 'an unknown path', status: 404, method: 'GET', url: '/api/v1/no-such-path' },
    { what: 'an unknown tRPC procedure', status: 404, method: 'GET', url: '/trpc/no.such.procedure' },
    { what: 'another method', status: 405, method: 'PUT', url: '/api/v1/orgs/sites', payload: '{}' },
    { what: 'a body that is no JSON', status: 400, method: 'POST', url: '/api/v1/orgs/sites', payload: '{' },
    { what: 'a text', status: 415, method: 'POST', url: '/api/v1/orgs/sites', payload: 'a', type: 'text/csv' },
    { what: 'a long body', status: 413, method: 'POST', url: '/api/v1/orgs/sites', payload: `"${'x'.repeat(2e6)}"` },
    { what: 'another host', status: 421, method: 'GET', url: '/api/v1/orgs/sites', host: 'elsewhere.example' },
    { what: 'an ill-formed path', status: 400, method: 'GET', url: '/api/v1/%ff' },
    { what: 'the API description', status: 200, method: 'GET', url: '/api/v1/openapi.json' },
  ] as const)('$what answers $status with the limit of the address', async ({ status, method, url, ...given }) => {
    const { payload, type, host }: { payload?: string; type?: string; host?: string } = given
    const sent = payload === undefined ? {} : { 'content-type': type ?? 'application/json' }
    const headers = { ...sent, ...(host !== undefined && { host }) }
    const answer = await app.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
    const left = expect.stringMatching(/^"address";r=\d+;t=\d+$/)
    expect([answer.statusCode, answer.headers.ratelimit]).toEqual([status, left])
  })
  it('shows the rate limit of the address long before it is reached', async () => {
    const { headers } = await ask('GET', '/orgs/sites')
    expect(headers['ratelimit-policy']).toMatch(/^"address";q=\d+;w=\d+$/)
    expect(headers.ratelimit).toMatch(/^"address";r=\d+;t=\d+$/)
  })
  it('to a long read is compressed when the client accepts it, and keeps its ETag', async () => {
    for (let n = 0; n < 12; n++) await newSite()
    const plain = await ask('GET', '/orgs/sites')
    const small = await ask('GET', '/orgs/sites', { 'accept-encoding': 'gzip, deflate' })
    expect([small.headers['content-encoding'], small.headers.vary]).toEqual(['gzip', 'accept-encoding'])
    expect(gunzipSync(small.rawPayload).toString()).toBe(plain.body)
    for (const refused of ['identity', 'gzip;q=0', 'br'])
      expect(
        (await ask('GET', '/orgs/sites', { 'accept-encoding': refused })).headers['content-encoding'],
      ).toBeUndefined()
    const input = encodeURIComponent(JSON.stringify({}))
    const trpc = (coding: string) =>
      app.inject({
        url: `/trpc/tenancy.sites.list?input=${input}`,
        headers: { authorization: `Bearer ${here.partnerAdmin.token}`, 'accept-encoding': coding },
      })
    const [packed, open] = [await trpc('gzip'), await trpc('identity')]
    expect([packed.headers['content-encoding'], open.headers['content-encoding']]).toEqual(['gzip', undefined])
    expect(packed.headers.vary).toContain('accept-encoding')
    expect(JSON.parse(gunzipSync(packed.rawPayload).toString())).toEqual(open.json())
    const document = await ask('GET', '/openapi.json', { 'accept-encoding': 'br' })
    expect(document.headers['content-encoding']).toBe('br')
  })
})

describe('errors and pages', () => {
  it('an empty update of an unknown ID returns 404', async () => {
    const site = await newSite()
    expect((await ask('PATCH', site, {}, {})).json().message).toBe('No updates provided')
    await ask('DELETE', site)
    expect((await ask('PATCH', site, {}, {})).statusCode).toBe(404)
  })
  it('a page number has no maximum', async () => {
    expect((await ask('GET', '/orgs/sites?page=5000000')).json().pagination.page).toBe(5_000_000)
  })
})

describe('a rejection with 403', () => {
  it('is counted until the end of its hour or until the server closes, without a further rejection', async () => {
    const services = await testServices()
    const counted = async (who: Person) =>
      (await system.query(`SELECT FROM audit_logs WHERE actor_id = $1 AND details ? 'refusals'`, [who.userId])).rowCount
    const refusedBy = async (own: Denials) => {
      const who = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Viewer' })
      const closing = await testServer({
        runtime: createRuntime(denialsOf.replaced(services, own)),
      })
      for (let n = 0; n < 22; n++)
        await closing.inject({
          method: 'POST',
          url: '/api/v1/orgs/sites',
          headers: { authorization: `Bearer ${who.token}` },
          payload: { orgId: here.org.id, name: 'No' },
        })
      return { who, closing }
    }
    const parts = { system, log: services.log, now: () => Date.now() }
    const short = await refusedBy(new Denials({ ...parts, countedMs: 5_000 }))
    await expect.poll(() => counted(short.who), { timeout: 20_000 }).toBeGreaterThan(0)
    const long = await refusedBy(new Denials(parts))
    expect(await counted(long.who)).toBe(0)
    await long.closing.close()
    expect(await counted(long.who)).toBe(1)
    await short.closing.close()
  }, 60_000)
  it('is audited one by one up to twenty times an hour, and beyond that as a count', async () => {
    const who = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Viewer' })
    const refused = await Promise.all(
      Array.from({ length: 25 }, () => ask('POST', '/orgs/sites', {}, { orgId: here.org.id, name: 'No' }, who)),
    )
    expect(new Set(refused.map(({ statusCode }) => statusCode))).toEqual(new Set([403]))
    await denials.end()
    const { rows } = await system.query(
      `SELECT result, partner_id, details FROM audit_logs WHERE actor_id = $1 AND action = 'access.denied'`,
      [who.userId],
    )
    expect(rows).toHaveLength(21)
    expect(rows).toContainEqual({
      result: 'denied',
      partner_id: here.partner.id,
      details: { refusals: 5, operations: ['tenancy.sites.create'] },
    })
    expect(rows).toContainEqual(
      expect.objectContaining({ details: { operation: 'tenancy.sites.create', reason: expect.stringMatching(/./) } }),
    )
  })
})
