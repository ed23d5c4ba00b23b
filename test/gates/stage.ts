// One partner with one thing of everything, for gates that try every operation. What it holds bears a mark of its level,
// by which an answer shows what it gives away.
import { randomBytes } from 'node:crypto'
import { reviews } from '@muster/areas/access/access-reviews/reviews.contract.ts'
import { keys as apiKeys } from '@muster/areas/access/api-keys/keys.contract.ts'
import { roles } from '@muster/areas/access/roles/roles.contract.ts'
import { providers, scimTokens } from '@muster/areas/access/sso/providers.contract.ts'
import { invitations } from '@muster/areas/access/users/invitations/invitations.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { commands } from '@muster/areas/control/commands/commands.contract.ts'
import { pins } from '@muster/areas/control/rollouts/pins.contract.ts'
import type { About, Stage } from '@muster/areas/examples.ts'
import { customFields } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import { keys } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import { filters } from '@muster/areas/fleet/filters/filters.contract.ts'
import { groups, members } from '@muster/areas/fleet/groups/groups.contract.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { partners } from '@muster/areas/tenancy/tenancy/partners/partners.contract.ts'
import { sites } from '@muster/areas/tenancy/tenancy/sites/sites.contract.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, type World, world } from '@muster/testkit/world.ts'

export type Level = Exclude<About, 'own' | 'foreign'>
export const levels: readonly Level[] = ['partner', 'organization', 'site', 'device']
export type Marks = Readonly<Record<Level, string>>

export interface StageWorld {
  readonly world: World
  readonly stage: Stage
  readonly marks: Marks
  readonly otherSite: string
  readonly otherGroup: string
}

const fresh = () => randomBytes(6).toString('hex')

async function makePeople(there: World, marks: Marks) {
  const admin = there.partnerAdmin
  const permissions = [{ resource: 'devices' as const, action: 'read' as const }]
  const role = await call(admin, roles.create, { name: `Role ${marks.partner}`, permissions })
  const orgRole = await call(there.orgAdmin, roles.create, { name: `Role ${marks.organization}`, permissions })
  const user = await person({ scope: 'partner', partnerId: there.partner.id }, { role: 'Partner Viewer' })
  await call(admin, users.update, { id: user.userId, name: `User ${marks.partner}` })
  await call(admin, users.role, { id: user.userId, roleId: role.id })
  const tenant = { scope: 'organization', partnerId: there.partner.id, orgId: there.org.id } as const
  const orgUser = await person(tenant, { role: 'Org Viewer' })
  await call(admin, users.update, { id: orgUser.userId, orgId: there.org.id, name: `User ${marks.organization}` })
  const builtIn = async (who: typeof admin, name: string) =>
    (await call(who, roles.list, {})).data.find((one) => one.name === name)?.id ?? ''
  const partnerViewerRole = await builtIn(admin, 'Partner Viewer')
  const partnerAdminRole = await builtIn(admin, 'Partner Admin')
  const invitedAdmin = { email: `${marks.partner}@admin.test`, name: 'Invited', roleId: partnerAdminRole }
  const invited = { email: `${marks.partner}@guest.test`, name: 'Invited', roleId: partnerViewerRole }
  return {
    role: role.id,
    orgRole: orgRole.id,
    unusedRole: (await call(admin, roles.create, { name: `Unused ${marks.partner}` })).id,
    user: user.userId,
    session: user.sessionId,
    passkey: await passkeyOf(user.userId),
    orgUser: orgUser.userId,
    partnerViewerRole,
    partnerAdminRole,
    orgAdminRole: await builtIn(there.orgAdmin, 'Org Admin'),
    administrator: (await person({ scope: 'partner', partnerId: there.partner.id }, { role: 'Partner Admin' })).userId,
    invitedAdministrator: (await call(admin, invitations.invite, invitedAdmin)).id,
    orgViewerRole: await builtIn(there.orgAdmin, 'Org Viewer'),
    invitedUser: (await call(admin, invitations.invite, invited)).id,
  }
}

async function passkeyOf(userId: string): Promise<string> {
  const { system } = await testServices()
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO passkeys (user_id, credential_id, public_key, name)
     VALUES ($1, gen_random_uuid()::text, '', 'Laptop') RETURNING id`,
    [userId],
  )
  return rows[0]?.id ?? ''
}

async function makeFleet(there: World, marks: Marks) {
  const admin = there.partnerAdmin
  const orgId = there.org.id
  const site = await call(admin, sites.create, { orgId, name: `Site ${marks.site}` })
  const otherSite = await call(admin, sites.create, { orgId, name: 'Other site' })
  const [device = ''] = await enrolled(admin, { orgId, siteId: site.id }, `sample-${marks.device}`)
  const [otherDevice = ''] = await enrolled(admin, { orgId, siteId: site.id }, 'plain')
  const group = await call(admin, groups.create, {
    orgId,
    siteId: site.id,
    name: `Group ${marks.device}`,
    deviceIds: [device],
  })
  await call(admin, members.pin, { id: group.id, deviceId: device })
  const otherGroup = await call(admin, groups.create, { orgId, name: 'Other group' })
  const { system } = await testServices()
  await system.query(`UPDATE devices SET tags = ARRAY['sample', $2] WHERE id = $1`, [device, marks.device])
  const payload = { script: `echo ${marks.device}` }
  const sent = await call(admin, commands.bulk, { deviceIds: [device], type: 'run_script', payload })
  const [command] = sent.commands
  const field = { orgId, key: `f_${marks.organization}`, type: 'text' as const, label: 'Room' }
  const filter = { field: 'hostname', op: 'contains', value: 'sample' }
  return {
    site: site.id,
    otherSite: otherSite.id,
    device,
    otherDevice,
    group: group.id,
    otherGroup: otherGroup.id,
    command: command?.id ?? '',
    commandBatch: sent.batchId ?? '',
    customFieldKey: field.key,
    customField: (await call(admin, customFields.create, field)).id,
    filter: (await call(there.orgAdmin, filters.create, { name: marks.organization, filter, shared: true })).id,
    enrollmentKey: (await call(admin, keys.create, { orgId, name: `Key ${marks.organization}` })).id,
    openEnrollmentKey: (
      await call(admin, keys.create, { orgId, name: `Open key ${marks.organization}`, maxUsage: null, expiresAt: null })
    ).id,
    versionPin: (await call(admin, pins.set, { orgId, reason: `Pin ${marks.organization}` })).id,
  }
}

async function makeRecords(there: World, marks: Marks) {
  const { system } = await testServices()
  const { rows: records } = await system.query<{ id: string }>(
    `INSERT INTO audit_logs (partner_id, org_id, actor_type, action, resource_type, resource_name)
     VALUES ($1, $2, 'system', 'site.update', 'site', $3) RETURNING id`,
    [there.partner.id, there.org.id, `sample ${marks.organization}`],
  )
  const { rows: mails } = await system.query<{ id: string }>(
    `INSERT INTO mail_outbox (partner_id, to_address, template) VALUES ($1, 'a@example.test', 'notice') RETURNING id`,
    [there.partner.id],
  )
  const review = await call(there.partnerAdmin, reviews.create, { name: `Review ${marks.partner}` })
  const { items } = await call(there.partnerAdmin, reviews.get, { id: review.id })
  const key = { name: `Key ${marks.partner}`, scopes: ['devices:read' as const] }
  return {
    record: records[0]?.id ?? '',
    mail: mails[0]?.id ?? '',
    review: review.id,
    reviewItem: items[0]?.id ?? '',
    apiKey: (await call(there.partnerAdmin, apiKeys.create, key)).id,
  }
}

/** Its mark is not in the name, which anybody may know who wants to sign in. */
async function makeProvider(there: World, marks: Marks, orgUser: string) {
  const { system } = await testServices()
  const orgId = there.org.id
  const given = { orgId, name: 'Sign in here', issuer: 'https://127.0.0.1', clientId: marks.organization }
  const { id, partnerId } = await call(there.partnerAdmin, providers.create, given)
  await call(there.partnerAdmin, providers.status, { id, status: 'active' })
  const { token } = await call(there.partnerAdmin, scimTokens.rotate, { id })
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO sso_identities (provider_id, org_id, partner_id, user_id, issuer, subject, email)
     VALUES ($1, $2, $3, $4, 'https://127.0.0.1', $5, $6) RETURNING id`,
    [id, orgId, partnerId, orgUser, marks.organization, `${marks.organization}@example.test`],
  )
  return { ssoProvider: id, ssoIdentity: rows[0]?.id ?? '', scimToken: token }
}

/** A partner of its own with everything in it. */
export async function buildStage(): Promise<StageWorld> {
  const there = await world()
  const marks = { partner: `p${fresh()}`, organization: `o${fresh()}`, site: `s${fresh()}`, device: `d${fresh()}` }
  const { partnerAdmin, systemAdmin, partner, org, otherOrg } = there
  await call(systemAdmin, partners.update, { id: partner.id, billingEmail: `${marks.partner}@example.test` })
  await call(partnerAdmin, organizations.update, { id: org.id, name: `Org ${marks.organization}` })
  const settings = { security: { allowedMfaMethods: { sms: false } } }
  await call(partnerAdmin, organizations.update, { id: otherOrg.id, settings })
  const people = await makePeople(there, marks)
  const { otherSite, otherGroup, ...fleet } = await makeFleet(there, marks)
  const records = await makeRecords(there, marks)
  const provider = await makeProvider(there, marks, people.orgUser)
  const ids = { partner: partner.id, org: org.id, otherOrg: otherOrg.id }
  const stage = { ...ids, ...people, ...fleet, ...records, ...provider, fresh }
  return { world: there, stage, marks, otherSite, otherGroup }
}
