import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Settings } from '@muster/areas/services.ts'
import type { ResponseBody } from '@muster/testkit/response-body.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testDatabase, testRedis } from '@muster/testkit/stores.ts'
import { afterAll } from 'vitest'
import type { ServerSettings } from './server.process.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: ResponseBody
}

/** A server in its own process, as a client sees it. */
export interface Server {
  readonly url: string
  readonly pid: number
  request(method: string, path: string, given?: RequestGiven): Promise<Answer>
}
interface RequestGiven {
  readonly body?: unknown
  readonly token?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** Starts servers that share the run's stores and keys. They end with the test file. */
export async function startServers(count: number, settings: Partial<Settings> = {}): Promise<Server[]> {
  const services = await testServices()
  const given: ServerSettings = {
    ...testDatabase(),
    redisUrl: testRedis(),
    keyring: services.keyring,
    settings: { ...services.settings, ...settings },
    // The tests send requests of many clients from one address, as a proxy does.
    trustedProxies: ['127.0.0.1'],
  }
  const file = fileURLToPath(new URL('server.process.ts', import.meta.url))
  const children = Array.from({ length: count }, () => fork(file, { execArgv: [], stdio: 'inherit' }))
  afterAll(() => stopAll(children))
  return Promise.all(
    children.map(async (child) => {
      child.send(given)
      const ended = once(child, 'exit').then(() => {
        throw new Error('a server exited before it was ready')
      })
      const [{ port }] = await Promise.race([once(child, 'message'), ended])
      ended.catch(() => undefined)
      return serverAt(`http://127.0.0.1:${port}`, child.pid ?? 0)
    }),
  )
}

/** Starts one server, as `startServers` does. */
export async function startServer(settings: Partial<Settings> = {}): Promise<Server> {
  const [server] = await startServers(1, settings)
  if (server === undefined) throw new Error('no server was started')
  return server
}

async function stopAll(children: readonly ChildProcess[]): Promise<void> {
  const gone = children.map((child) => (child.exitCode === null ? once(child, 'exit') : undefined))
  for (const child of children) if (child.connected) child.disconnect()
  await Promise.all(gone)
}

const serverAt = (url: string, pid: number): Server => ({
  url,
  pid,
  async request(method, path, { body, token, headers = {}, signal } = {}) {
    const answer = await fetch(url + path, {
      method,
      signal,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text }
  },
})
