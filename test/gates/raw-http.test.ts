// Case B3: HTTP that two programs could parse in two ways. Each such request is rejected, and no handler of another
// path, method or request runs.
import { connect } from 'node:net'
import { operations } from '@muster/areas/registry.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { startServer } from './auth/servers.ts'
import { ambiguousLengths } from './smuggling.ts'

const server = await startServer()
const { port, host } = new URL(server.url)
const here = await world()
const { system } = await testServices()
const credential = `Authorization: Bearer ${here.systemAdmin.token}`
const silenceMs = 20_000

/** Sends bytes unchanged. @returns everything that the server sent until it closed the connection */
const send = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
    socket.setTimeout(silenceMs, () => socket.destroy(new Error(`no answer to ${text.slice(0, 200)}`)))
    socket.on('data', (bytes) => {
      received += bytes
    })
    socket.on('close', () => resolve(received))
    socket.on('error', (error) => ('code' in error && error.code === 'ECONNRESET' ? resolve(received) : reject(error)))
  })

const statuses = (said: string) => [...said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
const get = (target: string, headers: readonly string[] = [credential], method = 'GET') =>
  send([`${method} ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers, '', ''].join('\r\n'))

/** Other spellings of a path, which could bypass a proxy that decides by path. */
const spellings: Record<string, (path: string) => string> = {
  'a slash at the end': (path) => `${path}/`,
  'two slashes': (path) => path.replace(/\/([^/]*)$/, '//$1'),
  'two slashes in front': (path) => `/${path}`,
  'another case': (path) => path.replace('/api', '/API'),
  'an escaped letter': (path) => path.replace('/api', '/%61pi'),
  'an escaped slash': (path) => path.replace(/\/([^/]*)$/, '%2F$1'),
  'an escaped dot segment': (path) => path.replace(/\/([^/]*)$/, '/%2e/$1'),
  'a step back': (path) => `/api/v1/health/..${path.slice('/api/v1'.length)}`,
  'an escaped step back': (path) => `/api/v1/health/%2e%2e${path.slice('/api/v1'.length)}`,
  'a backslash': (path) => path.replace(/\/([^/]*)$/, '\\$1'),
  'a parameter of the segment': (path) => path.replace('/v1', '/v1;x=y'),
  'a NUL': (path) => `${path}/%00`,
  'a fragment': (path) => `${path}#x`,
  'half an escape': (path) => `${path}/%`,
}

const paths = [...new Set(operations.map(({ endpoint }) => endpoint.path))]
const served = (path: string) =>
  `/api/v1${path.replace(/:\w+/g, '0e5d0b2c-58a1-4c33-9a53-1b0f6a7f2a11')}`.replace(/\/$/, '')
/** The number of the sender's audit records. Other tests write records of other users at the same time. */
async function recorded(): Promise<number | undefined> {
  const statement = 'SELECT count(*)::int AS count FROM audit_logs WHERE actor_id = $1'
  return (await system.query<{ count: number }>(statement, [here.systemAdmin.userId])).rows[0]?.count
}

describe('B3: every path has one spelling', () => {
  it.each(Object.entries(spellings))('with %s it is a different path, which does not exist', async (what, respell) => {
    const before = await recorded()
    const wrong: string[] = []
    for (const path of paths) {
      const target = respell(served(path))
      // The contract defines this one path with its slash.
      if (path === '/orgs/' && what === 'a slash at the end') continue
      const [status = 0] = statuses(await get(target))
      // 405: the changed end matches a parameter of a path that has no GET.
      if (![400, 404, 405].includes(status)) wrong.push(`${target}: ${status}`)
    }
    expect(wrong).toEqual([])
    expect(await recorded()).toBe(before)
  })
})

describe('B3: a request has one meaning', () => {
  it('does not change its method by a header', async () => {
    for (const name of ['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method']) {
      const said = await get('/api/v1/orgs/partners/me', [credential, `${name}: PATCH`], 'DELETE')
      expect(statuses(said)).toEqual([405])
    }
    expect(statuses(await get('/api/v1/orgs/partners?_method=DELETE'))).toEqual([400])
  })

  it.each(['OPTIONS', 'TRACE', 'PROPFIND', 'FOO', 'get'])('%s is not a method of any path', async (method) => {
    const [status = 0] = statuses(await get('/api/v1/orgs/partners', [credential], method))
    expect([400, 404, 405]).toContain(status)
  })

  it.each(['authorization', 'host', 'content-type', 'x-api-key', 'x-service-csrf'])(
    'two headers %s are rejected',
    async (name) => {
      const said = await get('/api/v1/health', [`${name}: one`, `${name}: two`])
      expect(statuses(said)).toEqual([400])
      expect(said).toContain(name === 'host' ? 'host' : `The header ${name} was sent twice`)
    },
  )

  it('is rejected with another HTTP version, without a host, or with endless headers', async () => {
    expect(statuses(await send('GET /api/v1/health\r\n\r\n'))).toEqual([400])
    expect(statuses(await send('GET /api/v1/health HTTP/2.0\r\nConnection: close\r\n\r\n'))).toEqual([400])
    expect(statuses(await send('GET /api/v1/health HTTP/1.1\r\nConnection: close\r\n\r\n'))).toEqual([400])
    expect(statuses(await get('/api/v1/health', [`X-Long: ${'x'.repeat(40_000)}`]))).toEqual([431])
    expect(statuses(await get(`/api/v1/${'x'.repeat(12_000)}`))).toEqual([404])
    expect(await send('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')).toContain('This is not HTTP/1.1')
  })

  it('that is not valid HTTP is answered with the usual error body', async () => {
    const said = await send('GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n')
    expect(JSON.parse(said.split('\r\n\r\n')[1] ?? '')).toEqual({
      code: 'BAD_REQUEST',
      message: 'This is not HTTP/1.1',
    })
    const unfinished = await get('/api/v1/orgs/partners/%')
    expect(JSON.parse(unfinished.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'BAD_REQUEST' })
  })
})

describe('B3: no request is smuggled behind a body', () => {
  // A program that ends the first request's body elsewhere would see a second request here.
  const second = ['DELETE /api/v1/orgs/partners/me HTTP/1.1', `Host: ${host}`, credential, '', ''].join('\r\n')
  it.each(Object.entries(ambiguousLengths))('with %s', async (_what, headers) => {
    const head = ['POST /api/v1/auth/login HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json', ...headers]
    const found = statuses(await send(`${head.join('\r\n')}\r\n\r\n0\r\n\r\n${second}`))
    // One rejection, and the connection is closed: a second answer would belong to the second request.
    expect(found).toEqual([400])
  })

  it('a chunk with a wrong size ends the connection', async () => {
    const head = ['POST /api/v1/auth/login HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json']
    for (const size of ['fffffffffffffffff', '-1', '2;x\n', '0x2', ' ']) {
      const said = await send(
        `${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\n{}\r\n0\r\n\r\n${second}`,
      )
      expect(statuses(said)).toEqual([400])
    }
  })
})
