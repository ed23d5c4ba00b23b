// Case A7: what a page of another site can make a browser do, and the attributes of the refresh cookie.
import { testServer } from '@muster/admin/testing/server.ts'
import { createLog } from '@muster/kit/log.ts'
import { testRuntime, testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { from, technicians } from './people.ts'

const here = await world()
const services = await testServices()
const app = await testServer({
  trustedProxies: ['127.0.0.1'],
})
afterAll(() => app.close())
const [who] = await technicians(here, 1)
if (who === undefined) throw new Error('no technician was created')
const json = { 'content-type': 'application/json' }

async function signIn() {
  const { email, password } = who ?? {}
  const answer = await app.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers: { ...json, ...from() },
    payload: { email, password },
  })
  const [cookie] = answer.cookies
  return { answer, cookie, jar: { service_refresh_token: cookie?.value ?? '' } }
}
const refresh = (jar: Record<string, string>, headers: Record<string, string>, payload?: string) =>
  app.inject({ method: 'POST', url: '/api/v1/auth/refresh', cookies: jar, headers: { ...from(), ...headers }, payload })

describe('the refresh cookie', () => {
  it('cannot be read by scripts or sent by other sites', async () => {
    const { cookie, answer } = await signIn()
    expect(cookie).toMatchObject({ name: 'service_refresh_token', httpOnly: true, sameSite: 'Strict', path: '/' })
    expect(cookie?.maxAge).toBe(7 * 24 * 3600)
    expect(cookie?.secure).toBeUndefined()
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('is Secure when the public URL uses HTTPS', async () => {
    const secure = await testServer({
      runtime: {
        ...(await testRuntime()),
        services: { ...services, settings: { ...services.settings, publicUrl: 'https://muster.test' } },
      },
      trustedProxies: ['127.0.0.1'],
    })
    const { email, password } = who
    const answer = await secure.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      headers: { ...json, ...from() },
      payload: { email, password },
    })
    expect(answer.cookies[0]?.secure).toBe(true)
    await secure.close()
  })

  it('is cleared by logout and by a refresh that fails', async () => {
    const { answer } = await signIn()
    const out = await app.inject({
      method: 'POST',
      url: '/api/v1/auth/logout',
      headers: { authorization: `Bearer ${answer.json().accessToken}` },
    })
    expect(out.cookies).toMatchObject([{ name: 'service_refresh_token', value: '', maxAge: 0 }])
    const failed = await refresh({ service_refresh_token: 'gone' }, { 'x-service-csrf': '1' })
    expect([failed.statusCode, failed.cookies[0]?.maxAge]).toEqual([401, 0])
  })
})

describe('A7: a page of another site', () => {
  it('cannot refresh without the header x-service-csrf', async () => {
    const { jar } = await signIn()
    const answer = await refresh(jar, {})
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'FORBIDDEN'])
    expect((await refresh(jar, { 'x-service-csrf': '1' })).statusCode).toBe(200)
  })

  it('cannot refresh with requests that browsers send without a preflight', async () => {
    const { jar } = await signIn()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await refresh(jar, { 'content-type': type }, '{"x":1}')
      expect([type, answer.statusCode >= 400 && answer.statusCode < 500]).toEqual([type, true])
    }
    const got = await app.inject({ method: 'GET', url: '/api/v1/auth/refresh', cookies: jar })
    expect(got.statusCode).toBe(405)
  })

  it('is rejected by its origin, even if it could send the header', async () => {
    const { jar } = await signIn()
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1.evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of foreign) {
      const answer = await refresh(jar, { 'x-service-csrf': '1', ...headers })
      expect([headers, answer.statusCode]).toEqual([headers, 403])
    }
    const own = { origin: services.settings.publicUrl, 'sec-fetch-site': 'same-origin' }
    expect((await refresh(jar, { 'x-service-csrf': '1', ...own })).statusCode).toBe(200)
  })

  it('receives no CORS headers in any response', async () => {
    const asked = await app.inject({
      method: 'OPTIONS',
      url: '/api/v1/auth/refresh',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-service-csrf',
      },
    })
    const answer = await app.inject({ url: '/api/v1/health', headers: { origin: 'https://evil.example' } })
    for (const { headers } of [asked, answer]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('is rejected in the same way by the tRPC endpoint', async () => {
    const { jar } = await signIn()
    const callTrpc = (headers: Record<string, string>, payload = '{}') =>
      app.inject({
        method: 'POST',
        url: '/trpc/auth.session.refresh',
        cookies: jar,
        headers: { ...from(), ...headers },
        payload,
      })
    expect((await callTrpc(json)).statusCode).toBe(403)
    expect((await callTrpc({ 'content-type': 'text/plain', 'x-service-csrf': '1' })).statusCode).toBe(415)
    const byGet = await app.inject({ method: 'GET', url: '/trpc/auth.session.refresh', cookies: jar })
    expect(byGet.statusCode).toBe(405)
    expect((await callTrpc({ ...json, 'x-service-csrf': '1' })).statusCode).toBe(200)
  })

  it('cannot open a WebSocket, and needs a bearer token for event streams', async () => {
    const upgrade = await app.inject({
      url: '/api/v1/devices/events',
      headers: { connection: 'upgrade', upgrade: 'websocket', origin: 'https://evil.example' },
    })
    expect(upgrade.statusCode).toBe(401)
  })
})

describe('forwarded addresses', () => {
  it('are trusted from configured proxies only', async () => {
    const open = await testServer()
    const ip = '198.51.100.77'
    const statuses = new Set<number>()
    for (let n = 0; n < 7; n++) {
      const answer = await open.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        remoteAddress: ip,
        headers: { ...json, ...from() },
        payload: { email: 'forwarded@example.test', password: 'wrong' },
      })
      statuses.add(answer.statusCode)
    }
    expect([...statuses]).toEqual([401, 429])
    await open.close()
  })
})

describe('the outbox', () => {
  const { outboxToken } = services.settings
  const outbox = `/dev/outbox/${outboxToken}`

  it('shows emails and SMS to the local machine, at its secret URL only', async () => {
    await app.inject({
      method: 'POST',
      url: '/api/v1/auth/forgot-password',
      headers: { ...json, ...from() },
      payload: { email: who.email },
    })
    const page = await app.inject({ url: outbox })
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const { mails, sms } = (await app.inject({ url: `${outbox}.json` })).json()
    expect(sms).toEqual(expect.any(Array))
    const mail = mails.find(({ to }: { to: string }) => to === who.email)
    expect(mail).toEqual({
      to: who.email,
      subject: 'Set a new password',
      text: expect.stringContaining('/reset-password#token='),
      url: expect.stringContaining('/reset-password#token='),
      at: expect.any(String),
    })
    for (const request of [
      { url: outbox, remoteAddress: '192.0.2.1' },
      { url: outbox, headers: { 'x-forwarded-for': '127.0.0.1' } },
      { url: '/dev/outbox' },
      { url: '/dev/outbox.json' },
      { url: '/dev/outbox/' },
      { url: '/dev/outbox/.json' },
      { url: `${outbox}x` },
      { url: `${outbox.slice(0, -1)}.json` },
      { url: `${outbox}.json.json` },
      { url: `/dev/outbox/${outboxToken?.toUpperCase()}` },
    ]) {
      const answer = await app.inject({ ...request, headers: { accept: 'text/html', ...request.headers } })
      expect([request, answer.statusCode, answer.json()]).toEqual([
        request,
        404,
        { code: 'NOT_FOUND', message: 'No such path' },
      ])
    }
  })

  it('does not exist unless it is configured, for any value of NODE_ENV', async () => {
    const without = await testServer({
      runtime: {
        ...(await testRuntime()),
        services: { ...services, settings: { ...services.settings, outboxToken: null } },
      },
    })
    for (const url of [
      outbox,
      `${outbox}.json`,
      '/dev/outbox',
      '/dev/outbox/',
      '/dev/outbox/null',
      '/dev/outbox/undefined.json',
    ])
      expect([url, (await without.inject({ url })).statusCode]).toEqual([url, 404])
    await without.close()
  })

  it('keeps its URL out of the log', async () => {
    const lines: string[] = []
    const log = createLog('test', 'silent')
    log.info = (entry: unknown) => lines.push(JSON.stringify(entry))
    const logging = await testServer({
      log,
    })
    expect((await logging.inject({ url: `${outbox}.json` })).statusCode).toBe(200)
    await logging.close()
    expect(lines.join('')).toContain('/dev/outbox/:page')
    expect(lines.join('')).not.toContain(outboxToken)
  })
})
