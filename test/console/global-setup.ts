// One Muster for all tests of the console: the built console, real processes, a real agent, two tenants.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ensureConsole } from '@muster/stack/console.ts'
import { type Stack, startStack } from '@muster/stack/stack.ts'
import { withoutForcedMfa } from '@muster/testkit/administrator.ts'
import { redisRefusals } from '@muster/testkit/redis-refusals.ts'
import type { TestProject } from 'vitest/node'
import { type Client, clientOf, signIn } from './client.ts'
import { newPassword, newTenant, type Tenant } from './tenants.ts'

const agentMain = fileURLToPath(new URL('../../apps/agent/src/main.ts', import.meta.url))

export interface Stage {
  readonly url: string
  readonly outbox: string
  readonly admin: { readonly email: string; readonly password: string }
  /** Where the stores listen, for what no operation can bring about. */
  readonly stores: { readonly redis: string; readonly system: string }
  /** With the one real device, whose name is `hostname`. */
  readonly acme: Tenant & { readonly deviceId: string; readonly hostname: string }
  readonly umbra: Tenant
}
declare module 'vitest' {
  interface ProvidedContext {
    stage: Stage
  }
}

export default async function setup(project: TestProject) {
  const admin = { email: 'admin@example.test', password: newPassword() }
  const folder = await mkdtemp(join(tmpdir(), 'muster-console-agent-'))
  await ensureConsole()
  const stack = await startStack({
    bootstrap: admin,
    outboxToken: randomBytes(32).toString('base64url'),
    settings: {
      ingest: { HEARTBEAT_SECONDS: '2' },
      // The identity provider and the receivers of the tests are on this machine.
      admin: { SSO_ALLOWED_NETWORKS: '127.0.0.1/32', OUTGOING_ALLOWED_NETWORKS: '127.0.0.1/32' },
    },
  })
  const stop = async () => {
    const refused = await redisRefusals(stack.urls.redis)
    await stack.stop()
    await rm(folder, { recursive: true, force: true })
    if (refused.length > 0) throw new Error(`Redis refused: ${refused.join('; ')}`)
  }
  try {
    project.provide('stage', await prepare(stack, admin, folder))
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

async function prepare(stack: Stack, admin: Stage['admin'], agentFolder: string): Promise<Stage> {
  const { admin: url, outbox = '' } = stack.urls
  await withoutForcedMfa(stack.urls.owner)
  const client = clientOf(url, (await signIn(url, admin)).accessToken)
  const acme = await newTenant(client, outbox, 'Acme')
  const umbra = await newTenant(client, outbox, 'Umbra')
  const { key } = await client.enrollment.keys.create.mutate({
    orgId: acme.orgId,
    siteId: acme.siteId,
    name: 'Tests',
    maxUsage: null,
  })
  const args = ['--server', url, '--data-dir', agentFolder]
  await stack.launch({ name: 'agent', file: agentMain, args, env: { MUSTER_ENROLLMENT_KEY: key } })
  const device = await firstDevice(client, acme.orgId)
  const { redis, system } = stack.urls
  return {
    url,
    outbox,
    admin,
    stores: { redis, system },
    acme: { ...acme, deviceId: device.id, hostname: device.hostname },
    umbra,
  }
}

async function firstDevice(client: Client, orgId: string) {
  const until = Date.now() + 60_000
  for (;;) {
    const answer = await client.devices.devices.list.query({ orgIds: [orgId], status: ['online'] })
    const device = 'devices' in answer ? answer.devices[0] : undefined
    if (device?.cpuPercent != null) return device
    if (Date.now() > until) throw new Error('the agent did not report in time')
    await setTimeout(250)
  }
}
