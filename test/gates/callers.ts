// Callers of every scope and reach, of other tenants, without access, and with a wrong credential.
import { keys as apiKeys } from '@muster/areas/access/api-keys/keys.contract.ts'
import { roles } from '@muster/areas/access/roles/roles.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import type { Exception } from '@muster/areas/examples.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { partners } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import type { Scope } from '@muster/kit/contract.ts'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import type { Level } from '@muster/testkit/stage.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import type { StageWorld } from './stage.ts'

export interface GateCaller {
  readonly name: Exception | string
  readonly scope: Scope
  readonly token: string | null
  readonly headers: Readonly<Record<string, string>>
  /** Why every request is rejected first, unless the declaration allows it. */
  readonly shutOut: 'no credential' | 'bad credential' | 'unproven' | 'inactive partner' | 'mfa owed' | null
  readonly isKey: boolean
  readonly permissions: 'all' | 'none'
  readonly reaches: readonly Level[]
  /** No limits inside its own partner or organization: all organizations, no list of sites or device groups. */
  readonly reachesWholePartner: boolean
}

type Given = Partial<Omit<GateCaller, 'name'>>
const caller = (name: string, who: Pick<Person, 'token'> | null, scope: Scope, given: Given = {}): GateCaller => ({
  name,
  scope,
  token: who?.token ?? null,
  headers: {},
  shutOut: null,
  isKey: false,
  permissions: 'all',
  reaches: [],
  reachesWholePartner: true,
  ...given,
})
const all: Level[] = ['partner', 'organization', 'site', 'device']
const inOrg: Level[] = ['organization', 'site', 'device']

const partnerOf = (partnerId: string) => ({ scope: 'partner', partnerId }) as const
const orgOf = (partnerId: string, orgId: string) => ({ scope: 'organization', partnerId, orgId }) as const

async function ofPartner({ world: there }: StageWorld): Promise<GateCaller[]> {
  const tenant = partnerOf(there.partner.id)
  const role = 'Partner Admin'
  const orgIds = [there.org.id]
  const selected = await person(tenant, { role, orgAccess: 'selected', orgIds })
  const selectedOther = await person(tenant, { role, orgAccess: 'selected', orgIds: [there.otherOrg.id] })
  const none = await person(tenant, { role, orgAccess: 'none' })
  return [
    caller('system', there.systemAdmin, 'system', { reaches: all }),
    caller('partner', there.partnerAdmin, 'partner', { reaches: all }),
    caller('selected', selected, 'partner', { reaches: all, reachesWholePartner: false }),
    caller('selectedOther', selectedOther, 'partner', { reaches: ['partner'], reachesWholePartner: false }),
    caller('none', none, 'partner', { reaches: ['partner'], reachesWholePartner: false }),
  ]
}

async function ofOrganization({ world: there, stage }: StageWorld): Promise<GateCaller[]> {
  const tenant = orgOf(there.partner.id, there.org.id)
  const role = 'Org Admin'
  const member = (more: object) => person(tenant, { role, ...more })
  const limited = (name: string, who: Person, reaches: readonly Level[]) =>
    caller(name, who, 'organization', { reaches, reachesWholePartner: false })
  const otherOrgAdmin = await person(orgOf(there.partner.id, there.otherOrg.id), { role })
  return [
    caller('orgAdmin', there.orgAdmin, 'organization', { reaches: inOrg }),
    limited('siteMember', await member({ siteIds: [stage.site] }), inOrg),
    limited('otherSiteMember', await member({ siteIds: [stage.otherSite] }), ['organization']),
    limited('groupMember', await member({ deviceGroupIds: [stage.group] }), inOrg),
    limited('otherGroupMember', await member({ deviceGroupIds: [stage.otherGroup] }), ['organization', 'site']),
    caller('otherOrgAdmin', otherOrgAdmin, 'organization'),
  ]
}

async function withoutPermissions({ world: there }: StageWorld): Promise<GateCaller[]> {
  const { id } = await call(there.partnerAdmin, roles.create, { name: 'Nothing at all' })
  const who = await person(partnerOf(there.partner.id), { role: 'Partner Viewer' })
  await call(there.partnerAdmin, users.role, { id: who.userId, roleId: id })
  return [caller('without permissions', who, 'partner', { permissions: 'none', reaches: all })]
}

async function shutOut({ world: there }: StageWorld): Promise<GateCaller[]> {
  const { system } = await testServices()
  const tenant = partnerOf(there.partner.id)
  const callers: GateCaller[] = []
  for (const status of ['pending', 'suspended', 'churned'] as const) {
    const its = await world()
    await call(its.systemAdmin, partners.update, { id: its.partner.id, status })
    callers.push(caller(`of a ${status} partner`, its.partnerAdmin, 'partner', { shutOut: 'inactive partner' }))
    callers.push(
      caller(`of a ${status} partner's organization`, its.orgAdmin, 'organization', { shutOut: 'inactive partner' }),
    )
  }
  const gone = await world()
  await call(gone.partnerAdmin, organizations.remove, { id: gone.org.id })
  callers.push(caller('of a deleted organization', gone.orgAdmin, 'organization', { shutOut: 'bad credential' }))
  const lost = await world()
  await call(lost.systemAdmin, partners.remove, { id: lost.partner.id })
  callers.push(caller('of a deleted partner', lost.partnerAdmin, 'partner', { shutOut: 'bad credential' }))
  const disabled = await person(tenant, { role: 'Partner Viewer' })
  await call(there.partnerAdmin, users.update, { id: disabled.userId, status: 'disabled' })
  callers.push(caller('disabled', disabled, 'partner', { shutOut: 'bad credential' }))
  const removed = await person(tenant, { role: 'Partner Viewer' })
  await call(there.partnerAdmin, users.remove, { id: removed.userId })
  callers.push(caller('removed', removed, 'partner', { shutOut: 'bad credential' }))
  const owing = await person(tenant, { role: 'Partner Admin', mfaEnabled: false })
  await system.query('UPDATE sessions SET mfa = false WHERE user_id = $1', [owing.userId])
  callers.push(caller('owing a second factor', owing, 'partner', { shutOut: 'mfa owed', reaches: all }))
  const unproven = await person(tenant, { role: 'Partner Admin' })
  await system.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [unproven.userId])
  callers.push(caller('with an address that is not proven', unproven, 'partner', { shutOut: 'unproven', reaches: all }))
  const bad = (name: string, token: string) => caller(name, { token }, 'partner', { shutOut: 'bad credential' })
  callers.push(caller('without credential', null, 'partner', { shutOut: 'no credential' }))
  callers.push(bad('with nonsense for a token', 'nonsense'))
  callers.push(bad('with a token that was changed', `${there.partnerAdmin.token.slice(0, -4)}AAAA`))
  return callers
}

/** API keys of the partner with all permissions, of another partner, and of a creator that lost its permissions. */
async function keyHolders({ world: there }: StageWorld): Promise<GateCaller[]> {
  const elsewhere = await world()
  const everything = { name: 'Everything', scopes: ['*:*' as const] }
  const own = await call(there.partnerAdmin, apiKeys.create, everything)
  const foreign = await call(elsewhere.partnerAdmin, apiKeys.create, everything)
  const fading = await person(partnerOf(there.partner.id), { role: 'Partner Admin' })
  const shrunk = await call(fading, apiKeys.create, everything)
  const { id } = await call(there.partnerAdmin, roles.create, { name: 'Nothing any more' })
  await call(there.partnerAdmin, users.role, { id: fading.userId, roleId: id })
  const holder = (name: string, key: string, given: Given) =>
    caller(name, null, 'partner', { isKey: true, headers: { 'x-api-key': key }, ...given })
  return [
    holder('key of the partner', own.key, { reaches: all }),
    holder('key of another partner', foreign.key, {}),
    holder('key whose creator lost its permissions', shrunk.key, { permissions: 'none', reaches: all }),
  ]
}

/** @param agentToken the certificate of a device */
export async function gateCallers(stage: StageWorld, agentToken: string): Promise<GateCaller[]> {
  const elsewhere = await world()
  return [
    ...(await ofPartner(stage)),
    ...(await ofOrganization(stage)),
    caller('admin of another partner', elsewhere.partnerAdmin, 'partner'),
    caller('foreignOrgAdmin', elsewhere.orgAdmin, 'organization'),
    ...(await withoutPermissions(stage)),
    ...(await shutOut(stage)),
    ...(await keyHolders(stage)),
    caller('device with its certificate', { token: agentToken }, 'partner', { shutOut: 'bad credential' }),
  ]
}
