// A page of another site that points its own host name to this server (DNS rebinding) cannot read a response. The
// routes are those of the running server, so a new route is covered automatically.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen, testServer } from '@muster/admin/testing/server.ts'
import { operations } from '@muster/areas/registry.ts'
import { createMetrics, observation } from '@muster/kit/metrics.ts'
import { testRuntime, testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const here = await world()
const services = await testServices()
const runtime = await testRuntime()
const consoleFolder = mkdtempSync(join(tmpdir(), 'muster-foreign-host-'))
writeFileSync(join(consoleFolder, 'index.html'), 'the console')
const settings = {
  ...services.settings,
  publicUrl: 'https://muster.example.com',
  ingestUrl: 'wss://agents.example.com/agent',
  allowedHosts: ['extra.example.com'],
}
const app = await testServer({
  runtime: { ...runtime, services: { ...services, settings } },
  trustedProxies: ['127.0.0.1'],
  consoleFolder,
})
const port = await listen(app)
afterAll(async () => {
  await app.close()
  rmSync(consoleFolder, { recursive: true })
})

const foreign = 'rebind.attacker.example'
const credential = { authorization: `Bearer ${here.systemAdmin.token}` }
const refusal = { code: 'MISDIRECTED', message: expect.stringContaining('ALLOWED_HOSTS') }

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'] as const

interface Route {
  readonly method: (typeof methods)[number]
  readonly path: string
}

/** The routes of the server, parsed from the route tree that it prints. */
function routesOf(tree: string): Route[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', name = '', taken = ''] =
      /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
    if (name === '') return []
    const depth = indent.length / 4
    above.splice(depth, above.length, name === '(empty root node)' ? '' : name)
    const path = above.join('')
    return taken.split(', ').flatMap((word) => {
      const method = methods.find((each) => each === word)
      if (word !== '' && method === undefined) throw new Error(`the method ${word} of ${path} is not tried here`)
      return method === undefined ? [] : [{ method, path }]
    })
  })
}

const filled = (path: string) =>
  path.replace(/:\w+(\([^)]*\))?/g, '00000000-0000-4000-8000-000000000000').replace('*', 'swagger-ui.css')

describe('a foreign Host is answered 421', () => {
  const routes = routesOf(app.printRoutes({ commonPrefix: false }))

  it('by every route of the server, for every caller', async () => {
    // Routes that differ only in the names of their parameters are printed as one.
    const shapeOf = (path: string) => path.replace(/:[\w|:]+/g, ':').replace(/\/$/, '')
    const served = new Set(routes.map(({ method, path }) => `${method} ${shapeOf(path)}`))
    const missing = operations.filter(
      ({ endpoint }) => !served.has(`${endpoint.method} ${shapeOf(`/api/v1${endpoint.path}`)}`),
    )
    expect(missing.map(({ id }) => id)).toEqual([])
    expect([...served]).toEqual(expect.arrayContaining(['GET /docs', 'POST /trpc/:', 'GET /dev/outbox/:']))
    const answering: string[] = []
    for (const { method, path } of routes) {
      const { statusCode, body } = await app.inject({
        method,
        url: filled(path),
        headers: { host: foreign, ...credential },
      })
      if (statusCode !== 421 || (method !== 'HEAD' && !body.includes('ALLOWED_HOSTS')))
        answering.push(`${method} ${path}: ${statusCode}`)
    }
    expect(answering).toEqual([])
  })

  it.each([
    '/',
    '/devices',
    '/nothing',
    '/api/v1/nothing',
    '/assets/index.js',
    '/muster.svg',
    '/api/v1/%',
    '/%61pi/v1/health',
  ])('where there is no route: %s', async (url) => {
    const answer = await app.inject({ url, headers: { host: foreign, accept: 'text/html' } })
    expect([answer.statusCode, answer.json()]).toEqual([421, refusal])
  })

  it('regardless of the host in proxy headers', async () => {
    for (const name of ['x-forwarded-host', 'forwarded', 'x-host', 'x-original-host']) {
      const value = name === 'forwarded' ? 'host=muster.example.com' : 'muster.example.com'
      const answer = await app.inject({ url: '/api/v1/health', headers: { host: foreign, [name]: value } })
      expect([name, answer.statusCode]).toEqual([name, 421])
    }
    const headers = { host: 'muster.example.com', 'x-forwarded-host': foreign }
    expect((await app.inject({ url: '/api/v1/health', headers })).statusCode).toBe(200)
  })

  it.each([
    'muster.example.com',
    'MUSTER.example.com.:443',
    'agents.example.com',
    'extra.example.com',
    'localhost:3000',
    '192.0.2.7',
    '[::1]:80',
  ])('and %s is not foreign', async (host) => {
    expect((await app.inject({ url: '/api/v1/health', headers: { host } })).statusCode).toBe(200)
  })
})

/** Sends bytes unchanged. @returns the status line */
async function statusOf(lines: readonly string[], at = port): Promise<string> {
  const socket = connect(at, '127.0.0.1')
  let said = ''
  socket.on('data', (bytes) => {
    said += bytes
  })
  socket.write([...lines, '', ''].join('\r\n'))
  await once(socket, 'close')
  expect(said).not.toMatch(/^(server|x-powered-by):/im)
  return said.split('\r\n')[0] ?? ''
}

describe('a raw HTTP request', () => {
  const path = '/api/v1/health'
  const close = 'Connection: close'
  it.each([
    ['a foreign host', [`GET ${path} HTTP/1.1`, `Host: ${foreign}`, close], 421],
    ['a foreign absolute target', [`GET http://${foreign}${path} HTTP/1.1`, 'Host: 127.0.0.1', close], 421],
    ['an own target with a foreign host', [`GET http://127.0.0.1${path} HTTP/1.1`, `Host: ${foreign}`, close], 421],
    [
      'an absolute target with an allowed host',
      [`GET http://muster.example.com${path} HTTP/1.1`, 'Host: muster.example.com', close],
      200,
    ],
    ['two hosts', [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Host: ${foreign}`, close], 400],
    ['no host in HTTP/1.1', [`GET ${path} HTTP/1.1`, close], 400],
    ['no host in HTTP/1.0, as probes ask', [`GET ${path} HTTP/1.0`], 200],
    ['a foreign host in HTTP/1.0', [`GET ${path} HTTP/1.0`, `Host: ${foreign}`], 421],
    ['an empty host', [`GET ${path} HTTP/1.1`, 'Host: ', close], 421],
    [
      'a foreign host that asks for a WebSocket',
      [`GET ${path} HTTP/1.1`, `Host: ${foreign}`, 'Upgrade: websocket', 'Connection: Upgrade'],
      421,
    ],
  ] as const)('%s', async (_what, lines, status) => {
    expect(await statusOf(lines)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })
})

describe('metrics and health', () => {
  const observed = observation(
    createMetrics('test'),
    { METRICS_HOST: '127.0.0.1', METRICS_PORT: 0, PUBLIC_URL: 'https://muster.example.com', ALLOWED_HOSTS: ['admin'] },
    { live: () => true, ready: async () => ({}) },
  )
  beforeAll(() => observed.run())
  afterAll(() => observed.stop())

  it.each(['/metrics', '/health/live', '/health/ready', '/nothing'])('%s answers only to own names', async (path) => {
    const to = (host: string) => statusOf([`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close'], observed.port)
    const status = path === '/nothing' ? 404 : 200
    for (const host of ['127.0.0.1:9464', '10.0.0.4:9464', 'localhost', 'admin:9464', 'muster.example.com'])
      expect(await to(host), host).toMatch(new RegExp(` ${status} `))
    for (const host of [foreign, 'worker:9464']) expect(await to(host), host).toMatch(/ 421 /)
  })
})
