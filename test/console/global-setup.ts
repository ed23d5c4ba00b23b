// One Muster for all tests of the console: the built console, real processes, a real agent, two tenants.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ensureConsole } from '@muster/stack/console.ts'
import { type Stack, startStack } from '@muster/stack/stack.ts'
import type { TestProject } from 'vitest/node'
import { type Client, clientOf, linkMailedTo, signIn } from './client.ts'

const agentMain = fileURLToPath(new URL('../../apps/agent/src/main.ts', import.meta.url))

/** A partner with an organisation, a site and an administrator who can sign in. */
export interface Tenant {
  readonly partnerId: string
  readonly orgId: string
  readonly siteId: string
  readonly orgName: string
  readonly siteName: string
  readonly email: string
  readonly password: string
}
export interface Stage {
  readonly url: string
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

const password = () => `${randomBytes(9).toString('base64url')} orchard kettle`

export default async function setup(project: TestProject) {
  const admin = { email: 'admin@example.test', password: password() }
  const folder = await mkdtemp(join(tmpdir(), 'muster-console-agent-'))
  await ensureConsole()
  const stack = await startStack({
    bootstrap: admin,
    settings: {
      ingest: { HEARTBEAT_SECONDS: '2' },
      // The identity provider of the tests is on this machine.
      admin: { SSO_ALLOWED_NETWORKS: '127.0.0.1/32' },
    },
  })
  const stop = async () => {
    await stack.stop()
    await rm(folder, { recursive: true, force: true })
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
  const url = stack.urls.admin
  const client = clientOf(url, (await signIn(url, admin)).accessToken)
  const acme = await tenant(client, url, 'Acme')
  const umbra = await tenant(client, url, 'Umbra')
  const { key } = await client.enrollment.keys.create.mutate({ orgId: acme.orgId, siteId: acme.siteId, name: 'Tests' })
  const args = ['--server', url, '--key', key, '--data-dir', agentFolder]
  await stack.launch({ name: 'agent', file: agentMain, args })
  const device = await firstDevice(client, acme.orgId)
  const { redis, system } = stack.urls
  return {
    url,
    admin,
    stores: { redis, system },
    acme: { ...acme, deviceId: device.id, hostname: device.hostname },
    umbra,
  }
}

async function tenant(client: Client, url: string, name: string): Promise<Tenant> {
  const slug = name.toLowerCase()
  const partner = await client.tenancy.partners.create.mutate({ name: `${name} IT`, slug, status: 'active' })
  const orgName = `${name} Bakery`
  const siteName = `${name} Main Street`
  const org = await client.tenancy.organizations.create.mutate({
    partnerId: partner.id,
    name: orgName,
    slug: `${slug}-bakery`,
  })
  const site = await client.tenancy.sites.create.mutate({ orgId: org.id, name: siteName })
  const roleId = await administrator(client, partner.id)
  const email = `ada@${slug}.test`
  await client.users.invitations.invite.mutate({
    partnerId: partner.id,
    email,
    name: `Ada of ${name}`,
    roleId,
  })
  const secret = password()
  const [, token = ''] = (await linkMailedTo(url, email)).split('#token=')
  await client.users.invitations.acceptInvite.mutate({ token, password: secret, name: `Ada of ${name}` })
  const ids = { partnerId: partner.id, orgId: org.id, siteId: site.id }
  return { ...ids, orgName, siteName, email, password: secret }
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

/** A role with all that a partner's administrator may do, but without the duty to have a second factor. */
async function administrator(client: Client, partnerId: string): Promise<string> {
  const { data } = await client.roles.roles.list.query({ partnerId })
  const builtIn = data.find((role) => role.scope === 'partner' && role.name === 'Partner Admin')
  if (builtIn === undefined) throw new Error('there is no role for administrators of a partner')
  const { id } = await client.roles.roles.clone.mutate({ id: builtIn.id, name: 'Administrator', partnerId })
  await client.roles.roles.update.mutate({ id, forceMfa: false })
  return id
}
