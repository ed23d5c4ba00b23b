// Partners with their own people, as those who run an installation make them.
import { randomBytes } from 'node:crypto'
import { type Client, linkMailedTo } from './client.ts'

/** A partner with an organization, a site and an administrator who can sign in. */
export interface Tenant {
  readonly partnerId: string
  readonly orgId: string
  readonly siteId: string
  readonly orgName: string
  readonly siteName: string
  readonly email: string
  readonly password: string
}
export const newPassword = () => `${randomBytes(9).toString('base64url')} orchard kettle`

export async function newTenant(client: Client, outbox: string, name: string): Promise<Tenant> {
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
  const person = await newAdministrator(client, outbox, partner.id, {
    name: `Ada of ${name}`,
    email: `ada@${slug}.test`,
  })
  const ids = { partnerId: partner.id, orgId: org.id, siteId: site.id }
  return { ...ids, orgName, siteName, ...person }
}

/** A user with all permissions in a partner, invited and accepted by the link. */
export async function newAdministrator(
  client: Client,
  outbox: string,
  partnerId: string,
  who: { readonly name: string; readonly email: string },
) {
  return newUser(client, outbox, { ...who, partnerId, roleId: await administrator(client, partnerId) })
}

/** A user of the caller's own partner with a role that exists. */
export async function newMember(client: Client, outbox: string, role: string, name: string) {
  const { data } = await client.users.users.roles.query({})
  const roleId = data.find((each) => each.name === role)?.id ?? ''
  return newUser(client, outbox, { name, email: `${randomBytes(4).toString('hex')}@members.test`, roleId })
}

interface Invited {
  readonly name: string
  readonly email: string
  readonly roleId: string
  readonly partnerId?: string
}
async function newUser(client: Client, outbox: string, { name, email, roleId, partnerId }: Invited) {
  await client.users.invitations.invite.mutate({ email, name, roleId, ...(partnerId && { partnerId }) })
  const password = newPassword()
  const [, token = ''] = (await linkMailedTo(outbox, email)).split('#token=')
  await client.users.invitations.acceptInvite.mutate({ token, password, name })
  return { email, password }
}

const roleName = 'Administrator'

/** A role with all that a partner's administrator may do, but without the duty to have a second factor. */
async function administrator(client: Client, partnerId: string): Promise<string> {
  const { data } = await client.roles.roles.list.query({ partnerId })
  const made = data.find((role) => role.name === roleName)
  if (made !== undefined) return made.id
  const builtIn = data.find((role) => role.scope === 'partner' && role.name === 'Partner Admin')
  if (builtIn === undefined) throw new Error('there is no role for administrators of a partner')
  const { id } = await client.roles.roles.clone.mutate({ id: builtIn.id, name: roleName, partnerId })
  await client.roles.roles.update.mutate({ id, forceMfa: false })
  return id
}
