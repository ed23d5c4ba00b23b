// Random neighbors: partners with resources of every kind, partly with the same names as those of the first partner.
import { keys as apiKeys } from '@muster/areas/access/api-keys/keys.contract.ts'
import { roles } from '@muster/areas/access/roles/roles.contract.ts'
import { invitations } from '@muster/areas/access/users/invitations/invitations.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { commands } from '@muster/areas/control/commands/commands.contract.ts'
import { lifecycle } from '@muster/areas/control/lifecycle/lifecycle.contract.ts'
import { customFields } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import { keys } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import { provision } from '@muster/areas/fleet/enrollment/provision.contract.ts'
import { filters } from '@muster/areas/fleet/filters/filters.contract.ts'
import { groups } from '@muster/areas/fleet/groups/groups.contract.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { partners } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { sites } from '@muster/areas/tenancy/tenancy/sites/sites.contract.ts'
import { publishLive } from '@muster/backplane/live.ts'
import { AppError } from '@muster/kit/errors.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type World, world } from '@muster/testkit/world.ts'
import fc from 'fast-check'

/** The prefix of every name that only a neighbor uses. */
export const mark = 'neighbor'

export type Action = (there: World, name: string) => Promise<unknown>
export interface Neighbor {
  readonly actions: readonly { readonly kind: keyof typeof actions; readonly name: string }[]
}

const device = async (there: World, name: string): Promise<string> =>
  (await enrolled(there.partnerAdmin, { orgId: there.org.id }, name))[0] ?? ''
const slug = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'x'
const viewer = async ({ partnerAdmin }: World) =>
  (await call(partnerAdmin, users.roles, {})).data.find(({ name }) => name === 'Partner Viewer')?.id ?? ''

const actions = {
  organization: ({ partnerAdmin }, name) => call(partnerAdmin, organizations.create, { name, slug: slug(name) }),
  order: ({ partnerAdmin, otherOrg }) => call(partnerAdmin, organizations.order, { organizationOrder: [otherOrg.id] }),
  settings: ({ partnerAdmin }, name) =>
    call(partnerAdmin, partners.updateMe, { name, settings: { timeFormat: '24h' } }),
  site: ({ partnerAdmin, org }, name) => call(partnerAdmin, sites.create, { orgId: org.id, name }),
  invitation: async (there, name) =>
    call(there.partnerAdmin, invitations.invite, {
      email: name.includes('@') ? name : `${slug(name)}@example.test`,
      name,
      roleId: await viewer(there),
    }),
  role: ({ partnerAdmin }, name) =>
    call(partnerAdmin, roles.create, { name, permissions: [{ resource: 'devices', action: 'read' }] }),
  device: async (there, name) => {
    const id = await device(there, name)
    const { system } = await testServices()
    await system.query(`UPDATE devices SET tags = ARRAY['sample', $2] WHERE id = $1`, [id, slug(name)])
    return call(there.partnerAdmin, commands.create, { id, type: 'run_script', payload: { script: name } })
  },
  prepared: ({ partnerAdmin, org }, name) =>
    call(partnerAdmin, provision.create, { orgId: org.id, hostname: slug(name) }),
  gone: async (there, name) => call(there.partnerAdmin, lifecycle.remove, { id: await device(there, name) }),
  moved: async (there, name) =>
    call(there.partnerAdmin, lifecycle.moveOrg, { id: await device(there, name), orgId: there.otherOrg.id }),
  group: ({ partnerAdmin, org }, name) => call(partnerAdmin, groups.create, { orgId: org.id, name }),
  field: ({ partnerAdmin, org }, name) =>
    call(partnerAdmin, customFields.create, {
      orgId: org.id,
      key: `f_${slug(name).replaceAll('-', '_').slice(0, 40)}`,
      type: 'text',
      label: name,
    }),
  filter: ({ orgAdmin }, name) =>
    call(orgAdmin, filters.create, { name, filter: { field: 'hostname', op: 'contains', value: name }, shared: true }),
  key: ({ partnerAdmin }, name) => call(partnerAdmin, apiKeys.create, { name, scopes: ['devices:read'] }),
  enrollmentKey: ({ partnerAdmin, org }, name) => call(partnerAdmin, keys.create, { orgId: org.id, name }),
  events: async ({ partner, org }) => {
    const { redis } = await testServices()
    const place = { orgId: org.id, siteId: null, deviceId: org.id, at: 1 }
    await publishLive(redis, partner.id, [{ type: 'device.status', ...place, status: 'online' }])
  },
  removed: ({ partnerAdmin, otherOrg }) => call(partnerAdmin, organizations.remove, { id: otherOrg.id }),
  suspended: ({ systemAdmin, partner }) => call(systemAdmin, partners.update, { id: partner.id, status: 'suspended' }),
} satisfies Record<string, Action>
const kinds = Object.keys(actions) as (keyof typeof actions)[]

/** @param known names that the first partner uses */
export const anyNeighbor = (known: readonly string[]): fc.Arbitrary<Neighbor> => {
  const name = fc.oneof(
    fc.constantFrom(...known),
    fc.string({ maxLength: 12 }).map((text) => `${mark} ${text}`),
  )
  return fc.record({
    actions: fc.array(fc.record({ kind: fc.constantFrom(...kinds), name }), { minLength: 1, maxLength: 4 }),
  })
}

/** Creates the partner of the neighbor and its resources. Rejected requests are ignored. */
export async function addNeighbor({ actions: planned }: Neighbor): Promise<void> {
  const there = await world()
  for (const { kind, name } of planned) {
    try {
      await actions[kind](there, name)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }
}
