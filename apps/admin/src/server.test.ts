import { request as rawRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AppRouter } from '@muster/areas/app-router.ts'
import { operations } from '@muster/areas/registry.ts'
import { world } from '@muster/testkit/world.ts'
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen, testServer } from './testing/server.ts'

describe('the HTTP server', async () => {
  const here = await world()
  const app = await testServer()
  let base = ''
  beforeAll(async () => {
    base = `http://127.0.0.1:${await listen(app)}`
  })
  afterAll(() => app.close())
  const bearer = { authorization: `Bearer ${here.partnerAdmin.token}` }
  const post = (payload: string, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url: '/api/v1/orgs/sites',
      headers: { ...bearer, 'content-type': 'application/json', ...headers },
      payload,
    })

  it("REST and tRPC give the same results, and the console's client is typed by the declarations", async () => {
    const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: `${base}/trpc`, headers: bearer })] })
    const site = await client.tenancy.sites.create.mutate({ orgId: here.org.id, name: 'By tRPC' })
    const overRest = await app.inject({ url: `/api/v1/orgs/sites/${site.id}`, headers: bearer })
    expect(overRest.json()).toEqual(site)
    expect(await client.tenancy.sites.get.query({ id: site.id })).toEqual(site)
    const refused = await client.tenancy.sites.update.mutate({ id: site.id }).catch((error: unknown) => error)
    if (!(refused instanceof TRPCClientError)) throw new Error('the update was not rejected')
    expect(refused.message).toBe('No updates provided')
    expect(refused.data).toMatchObject({ httpStatus: 400, appCode: 'VALIDATION_ERROR' })
  })

  it('returns 404 in the error format for an unknown path, with and without a credential', async () => {
    for (const url of ['/api/v1/nothing', '/nothing', '/api/v1/orgs/partners/x/y/z']) {
      const answer = await app.inject({ url })
      expect([answer.statusCode, answer.json()]).toEqual([404, { code: 'NOT_FOUND', message: 'No such path' }])
    }
  })

  it('returns 405 with the supported methods for another method of a known path', async () => {
    const answer = await app.inject({ method: 'PUT', url: '/api/v1/orgs/sites' })
    expect([answer.statusCode, answer.headers.allow, answer.json().code]).toEqual([
      405,
      'GET, HEAD, POST',
      'METHOD_NOT_ALLOWED',
    ])
  })

  it('returns 400 for a body that is not JSON, 415 for another type, 413 for a large one', async () => {
    expect((await post('{"name":')).json()).toEqual({ code: 'VALIDATION_ERROR', message: 'The body is not valid JSON' })
    expect((await post('name=x', { 'content-type': 'application/x-www-form-urlencoded' })).statusCode).toBe(415)
    expect((await post(`{"name":"${'x'.repeat(1_100_000)}"}`)).statusCode).toBe(413)
    expect((await post('{"__proto__":{"x":1},"name":"a"}')).statusCode).toBe(400)
    expect((await post('[1]')).json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'The body must be a JSON object',
    })
  })

  it('treats an empty body as no input', async () => {
    const answer = await post('')
    expect(answer.json()).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringMatching(/^orgId: /) })
  })

  it('sends a request ID and no-store with each response', async () => {
    const { headers } = await app.inject({ url: '/api/v1/health' })
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('serves an API description of all operations and its page from the own origin', async () => {
    const document = (await app.inject({ url: '/api/v1/openapi.json' })).json()
    expect(document.openapi).toBe('3.1.0')
    for (const { endpoint } of operations) {
      const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
      expect(document.paths[path]?.[endpoint.method.toLowerCase()], `${endpoint.method} ${path}`).toBeDefined()
    }
    const page = await app.inject({ url: '/docs' })
    expect(page.statusCode).toBe(200)
    expect(
      [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)]
        .map((match) => match[1])
        .filter((url) => /^https?:/.test(url ?? '')),
    ).toEqual([])
  })

  it('returns 401 for an invalid credential of any kind', async () => {
    for (const authorization of [
      'Bearer x',
      'Basic eDp5',
      'Bearer ',
      `Bearer ${here.partnerAdmin.token}x`,
      `Bearer ${here.partnerAdmin.token.split('.').slice(0, 2).join('.')}.`,
    ]) {
      const answer = await app.inject({ url: '/api/v1/auth/me', headers: { authorization } })
      expect([authorization, answer.statusCode, answer.json().code]).toEqual([authorization, 401, 'UNAUTHENTICATED'])
    }
  })

  it('survives a request that is aborted in the middle', async () => {
    const { port } = app.server.address() as AddressInfo
    await new Promise<void>((resolve) => {
      const cut = rawRequest({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/api/v1/orgs/sites',
        headers: { ...bearer, 'content-type': 'application/json', 'content-length': '100' },
      })
      cut.on('error', () => resolve())
      cut.write('{"na')
      cut.once('socket', (socket) => socket.once('connect', () => setImmediate(() => cut.destroy())))
      cut.on('close', () => resolve())
    })
    expect((await app.inject({ url: '/api/v1/health' })).statusCode).toBe(200)
  })
})
