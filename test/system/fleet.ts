// A complete Muster with an administrator, a tenant and agents, used from outside: through REST, tRPC and sockets.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ManagedProcess } from '@muster/stack/processes.ts'
import { type Stack, type StackOptions, startStack } from '@muster/stack/stack.ts'
import { redisRefusals } from '@muster/testkit/redis-refusals.ts'
import { Administrator, email } from './administrator.ts'

const agentMain = fileURLToPath(new URL('../../apps/agent/src/main.ts', import.meta.url))

/** A real agent as a separate process. */
export interface Agent {
  readonly process: ManagedProcess
  readonly dataDir: string
}

export class Fleet extends Administrator {
  override readonly stack: Stack
  readonly #password: string
  readonly #folders: string[] = []

  private constructor(stack: Stack, password: string) {
    super(stack)
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

  /** Signs the administrator in with the password, as a user does. @throws when that fails */
  async signIn(): Promise<void> {
    const answer = await fetch(`${this.stack.urls.admin}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: this.#password }),
    })
    if (answer.status !== 200) throw new Error(`signing in: ${answer.status} ${await answer.text()}`)
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

  /** Stops everything. @throws when Redis refused a command of a process */
  async stop(): Promise<void> {
    // Fault tests may leave Redis down.
    const refused = await redisRefusals(this.stack.urls.redis.split(',')[0] ?? '').catch(() => [])
    await this.stack.stop()
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })))
    if (refused.length > 0) throw new Error(`Redis refused: ${refused.join('; ')}`)
  }
}
