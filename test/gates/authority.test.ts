// Case D10: a user who loses access loses it within a second, in every process, including on open connections.
import { setTimeout as pause } from 'node:timers/promises'
import { session } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { roles } from '@muster/areas/access/roles/roles.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { lifecycle } from '@muster/areas/control/lifecycle/lifecycle.contract.ts'
import { live } from '@muster/areas/control/live/live.contract.ts'
import { devices } from '@muster/areas/fleet/devices/devices.contract.ts'
import { operations } from '@muster/areas/registry.ts'
import { createRuntime, createServices } from '@muster/areas/runtime.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { partners } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { connectSubscriber } from '@muster/backplane/redis.ts'
import type { AnyEndpoint } from '@muster/kit/contract.ts'
import { AppError } from '@muster/kit/errors.ts'
import { follow } from '@muster/kit/operation/follow.ts'
import { run } from '@muster/kit/operation/run.ts'
import { call, requestAs } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testRedis } from '@muster/testkit/stores.ts'
import { type Person, person, type World, world } from '@muster/testkit/world.ts'
import { afterAll, describe, expect, it } from 'vitest'

const goneMs = 1_000
const patienceMs = 5_000
const reply = { header() {}, cookie() {} }

/** A second runtime that shares only the stores with the first, like another process. */
const subscriber = connectSubscriber(testRedis(), 'other-process')
afterAll(() => subscriber.disconnect())
const other = createRuntime(createServices({ ...(await testServices()), subscriber }))

const operationOf = (endpoint: AnyEndpoint) => {
  const operation = operations.find((one) => one.endpoint === endpoint)
  if (operation === undefined) throw new Error('the operation is not in the registry')
  return operation
}

/** The status that the other process answers. */
async function statusThere(who: Person, endpoint: AnyEndpoint, input: object): Promise<number> {
  try {
    await run(operationOf(endpoint), input, requestAs(who), reply, other)
    return 200
  } catch (error) {
    if (error instanceof AppError) return error.status
    throw error
  }
}

/** How long the other process still answers before it rejects the request. */
async function untilRefused(who: Person, endpoint: AnyEndpoint, input: object, refused: number): Promise<number> {
  const began = performance.now()
  while (performance.now() - began < patienceMs) {
    const asked = performance.now()
    if ((await statusThere(who, endpoint, input)) === refused) return asked - began
    await pause(20)
  }
  return Number.POSITIVE_INFINITY
}

/** Watches devices in the other process. `endsAfter` returns how long the stream stayed open after `changed`. */
async function watching(who: Person) {
  const events = follow(operationOf(live.events), {}, requestAs(who), reply, other)
  await events.next()
  const ended = (async () => {
    try {
      while (!(await events.next()).done);
    } catch {
      // The stream may end with an error or without one.
    }
    return performance.now()
  })()
  return {
    async endsAfter(changed: number): Promise<number> {
      const at = await Promise.race([ended, pause(patienceMs, Number.POSITIVE_INFINITY, { ref: false })])
      return at - changed
    },
  }
}

interface Loss {
  readonly what: string
  /** An operation that the person can call before the loss. */
  readonly endpoint: AnyEndpoint
  input(there: World): object
  make(there: World): Promise<Person>
  take(there: World, who: Person): Promise<unknown>
  readonly refused: number
}

const member = (there: World, role = 'Partner Viewer') =>
  person({ scope: 'partner', partnerId: there.partner.id }, { role })
const orgMember = (there: World) =>
  person({ scope: 'organization', partnerId: there.partner.id, orgId: there.org.id }, { role: 'Org Admin' })
const readsOrg = { endpoint: organizations.get, input: ({ org }: World) => ({ id: org.id }) }
const readsSelf = { endpoint: session.me, input: () => ({}) }
const emptyRole = (there: World) => call(there.partnerAdmin, roles.create, { name: `Nothing ${Math.random()}` })
const reading = {
  permissions: [
    { resource: 'organizations' as const, action: 'read' as const },
    { resource: 'devices' as const, action: 'read' as const },
  ],
}
/** A member whose permissions come from a custom role, or from the parent of one. */
async function withRole(there: World, inherited: boolean) {
  const source = await call(there.partnerAdmin, roles.create, { name: `Reads ${Math.random()}`, ...reading })
  const child = inherited
    ? await call(there.partnerAdmin, roles.create, { name: `Child ${Math.random()}`, parentRoleId: source.id })
    : source
  const who = await member(there)
  await call(there.partnerAdmin, users.role, { id: who.userId, roleId: child.id })
  sources.set(who.userId, source.id)
  return who
}
const sources = new Map<string, string>()
const emptySource = (there: World, who: Person) =>
  call(there.partnerAdmin, roles.update, { id: sources.get(who.userId) ?? '', permissions: [] })

const losses: readonly Loss[] = [
  {
    what: 'a permission of its role',
    ...readsOrg,
    make: (there) => withRole(there, false),
    take: emptySource,
    refused: 403,
  },
  {
    what: 'a permission of a parent of its role',
    ...readsOrg,
    make: (there) => withRole(there, true),
    take: emptySource,
    refused: 403,
  },
  {
    what: 'its role',
    ...readsOrg,
    make: (there) => member(there),
    take: async (there, who) =>
      call(there.partnerAdmin, users.role, { id: who.userId, roleId: (await emptyRole(there)).id }),
    refused: 403,
  },
  {
    what: 'an organization',
    ...readsOrg,
    make: (there) => member(there),
    take: async (there, who) => {
      const { roleId } = await call(there.partnerAdmin, users.get, { id: who.userId })
      return call(there.partnerAdmin, users.role, { id: who.userId, roleId, orgIds: [there.otherOrg.id] })
    },
    refused: 404,
  },
  {
    what: 'its account, disabled',
    ...readsSelf,
    make: (there) => member(there),
    take: (there, who) => call(there.partnerAdmin, users.update, { id: who.userId, status: 'disabled' }),
    refused: 401,
  },
  {
    what: 'its membership',
    ...readsSelf,
    make: (there) => member(there),
    take: (there, who) => call(there.partnerAdmin, users.remove, { id: who.userId }),
    refused: 401,
  },
  {
    what: 'its session',
    ...readsSelf,
    make: (there) => member(there),
    take: (_there, who) => call(who, session.logout, {}),
    refused: 401,
  },
  {
    what: 'its organization, deleted',
    ...readsSelf,
    make: orgMember,
    take: (there) => call(there.partnerAdmin, organizations.remove, { id: there.org.id }),
    refused: 401,
  },
  {
    what: 'its partner, suspended',
    ...readsOrg,
    make: (there) => member(there),
    take: (there) => call(there.systemAdmin, partners.update, { id: there.partner.id, status: 'suspended' }),
    refused: 403,
  },
  {
    what: 'its partner, deleted',
    ...readsSelf,
    make: orgMember,
    take: (there) => call(there.systemAdmin, partners.remove, { id: there.partner.id }),
    refused: 401,
  },
]

describe('another process rejects within a second a caller that lost', () => {
  it.each(losses)('$what', async ({ endpoint, input, make, take, refused }) => {
    const there = await world()
    const who = await make(there)
    expect(await statusThere(who, endpoint, input(there))).toBe(200)
    const watched = await watching(who)
    await take(there, who)
    const changed = performance.now()
    const [request, stream] = await Promise.all([
      untilRefused(who, endpoint, input(there), refused),
      watched.endsAfter(changed),
    ])
    expect(request).toBeLessThan(goneMs)
    expect(stream).toBeLessThan(goneMs)
  })

  it('a device that moved to another organization', async () => {
    const there = await world()
    const [device = ''] = await enrolled(there.partnerAdmin, { orgId: there.org.id }, 'moving')
    expect(await statusThere(there.orgAdmin, devices.get, { id: device })).toBe(200)
    await call(there.partnerAdmin, lifecycle.moveOrg, { id: device, orgId: there.otherOrg.id })
    expect(await untilRefused(there.orgAdmin, devices.get, { id: device }, 404)).toBeLessThan(goneMs)
  })
})
