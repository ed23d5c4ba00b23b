// A complete Muster with an administrator, a tenant and agents, used from outside: through REST, tRPC and sockets.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AppRouter } from '@muster/areas/app-router.ts'
import { operatorSession } from '@muster/stack/operator-session.ts'
import type { ManagedProcess } from '@muster/stack/processes.ts'
import { type Stack, type StackOptions, startStack } from '@muster/stack/stack.ts'
import { redisRefusals } from '@muster/testkit/redis-refusals.ts'
import { createTRPCClient, httpLink, httpSubscriptionLink, splitLink } from '@trpc/client'
import { EventSource } from 'eventsource'

const email = 'admin@example.test'
const agentMain = fileURLToPath(new URL('../../apps/agent/src/main.ts', import.meta.url))

/** A JSON response of which a test reads a few fields. */
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, each looked at by the test that asked
type Answer = any

/** A real agent as a separate process. */
export interface Agent {
  readonly process: ManagedProcess
  readonly dataDir: string
}

export class Fleet {
  readonly stack: Stack
  readonly #password: string
  #token = ''
  readonly #folders: string[] = []

  private constructor(stack: Stack, password: string) {
    this.stack = stack
    this.#password = password
  }

  static async start(options: StackOptions = {}): Promise<Fleet> {
    const password = randomBytes(12).toString('base64url')
    const stack = await startStack({ bootstrap: { email, password }, ...options })
    const fleet = new Fleet(stack, password)
    await fleet.renew()
    return fleet
  }

  /** Opens another session for the administrator's requests: one ends after 15 minutes. */
  async renew(): Promise<void> {
    this.#token = await operatorSession(this.stack.stores, email)
  }

  /** Signs the administrator in with the password, as a user does. @throws when that fails */
  async signIn(): Promise<void> {
    const answer = await fetch(`${this.stack.urls.admin}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: this.#password }),
    })
    if (answer.status !== 200) throw new Error(`signing in: ${answer.status} ${await answer.text()}`)
  }

  /** The headers of an administrator's request. */
  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` }
  }

  /** One REST call of the administrator. @returns status and body */
  async rest(method: string, path: string, body?: object): Promise<{ status: number; body: Answer }> {
    const answer = await fetch(`${this.stack.urls.admin}/api/v1${path}`, {
      method,
      headers: { ...this.headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }

  /** One REST call of the administrator that sends or receives bytes. */
  bytes(method: string, path: string, body?: Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.stack.urls.admin}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body && { 'content-type': 'application/octet-stream' }),
        ...headers,
      },
      ...(body && { body: Buffer.from(body) }),
    })
  }

  async must(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.rest(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** The typed client of the console, with subscriptions over server-sent events. */
  client() {
    const url = `${this.stack.urls.admin}/trpc`
    const { headers } = this
    const withToken = (input: string | URL, init: RequestInit) =>
      fetch(input, { ...init, headers: { ...init.headers, ...headers } })
    return createTRPCClient<AppRouter>({
      links: [
        splitLink({
          condition: ({ type }) => type === 'subscription',
          true: httpSubscriptionLink({ url, EventSource, eventSourceOptions: () => ({ fetch: withToken }) }),
          false: httpLink({ url, headers }),
        }),
      ],
    })
  }

  /** A partner with an organization, a site and an enrollment key. */
  async tenant() {
    const name = randomBytes(4).toString('hex')
    const partner = await this.must('POST', '/orgs/partners', { name: `Partner ${name}`, slug: `partner-${name}` })
    const org = await this.must('POST', '/orgs/organizations', {
      partnerId: partner.id,
      name: `Org ${name}`,
      slug: `org-${name}`,
    })
    const site = await this.must('POST', '/orgs/sites', { orgId: org.id, name: `Site ${name}` })
    const { key } = await this.must('POST', '/enrollment-keys', {
      orgId: org.id,
      siteId: site.id,
      name: 'Test',
      maxUsage: null,
    })
    return { partner, org, site, key: key as string }
  }

  /** The log of a process. */
  log(name: string): string {
    return readFileSync(join(this.stack.stores.folder.logs, `${name}.log`), 'utf8')
  }

  async folder(): Promise<string> {
    const made = await mkdtemp(join(tmpdir(), 'muster-agent-'))
    this.#folders.push(made)
    return made
  }

  /** Starts a real agent; with the data folder of an earlier one it continues as that device. */
  async agent(name: string, key: string, dataDir?: string, more: readonly string[] = []): Promise<Agent> {
    const folder = dataDir ?? (await this.folder())
    const args = ['--server', this.stack.urls.admin, '--data-dir', folder, ...more]
    return {
      dataDir: folder,
      process: await this.stack.launch({ name, file: agentMain, args, env: { MUSTER_ENROLLMENT_KEY: key } }),
    }
  }

  /** The only device of an organization, once it meets a condition. */
  async device(orgId: string, until: (device: Answer) => boolean, withinMs = 30_000): Promise<Answer> {
    return eventually(async () => {
      const { devices } = await this.must('GET', `/devices?orgIds=${orgId}&limit=10`)
      return devices.find(until)
    }, withinMs)
  }

  /** Stops everything. @throws when Redis refused a command of a process */
  async stop(): Promise<void> {
    // Fault tests may leave Redis down.
    const refused = await redisRefusals(this.stack.urls.redis.split(',')[0] ?? '').catch(() => [])
    await this.stack.stop()
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })))
    if (refused.length > 0) throw new Error(`Redis refused: ${refused.join('; ')}`)
  }
}

/** Polls until there is a value; throws after the timeout. */
export async function eventually<T>(ask: () => Promise<T | undefined | false | null>, withinMs = 30_000): Promise<T> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false && answer !== null) return answer
    if (Date.now() > deadline) throw new Error(`no value within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
