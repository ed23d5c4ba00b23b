// Maps a user of an identity provider to a member of its organization. After the first sign-in, issuer and subject identify the
// user. The email address is used only the first time, and only finds accounts that are members of the organization.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Call } from '../../operation.ts'
import { findAccount, findAccountByEmail } from '../auth/index.ts'
import { roleFor } from '../roles/index.ts'
import { acceptByProvider, addMember, type Member, memberOfOrganization } from '../users/index.ts'
import type { CallbackError } from './flow.contract.ts'
import { type ProviderRow, recordProven } from './providers/providers.queries.ts'

export interface AssertedPerson {
  readonly issuer: string
  readonly subject: string
  readonly email: string
  readonly name: string
}
type Admission = { readonly userId: string } | { readonly error: CallbackError }

/** The member that the provider names: linked before, found by address, or created. */
export async function admitPerson(
  call: Call,
  db: Db,
  provider: ProviderRow,
  person: AssertedPerson,
): Promise<Admission> {
  // Serialize, so that two simultaneous first sign-ins do not both create a member.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sso ${provider.id}`}, 0))`.execute(db)
  const linked = await db
    .selectFrom('ssoIdentities')
    .select(['id', 'userId'])
    .where('providerId', '=', provider.id)
    .where('issuer', '=', person.issuer)
    .where('subject', '=', person.subject)
    .executeTakeFirst()
  if (linked !== undefined) return linkedPerson(call, db, provider, person, linked)
  const account = await findAccountByEmail(db, person.email)
  if (account === undefined) return newPerson(call, db, provider, person)
  const isLinkedToAnother = await db
    .selectFrom('ssoIdentities')
    .select('id')
    .where('providerId', '=', provider.id)
    .where('userId', '=', account.id)
    .executeTakeFirst()
  // The provider gave this address to another person than the linked one.
  if (isLinkedToAnother !== undefined) return { error: 'user_not_found' }
  const member = await findActiveMember(db, provider, account.id)
  if (member === undefined) return { error: 'no_org_access' }
  await link(call, db, provider, person, account.id)
  return { userId: account.id }
}

async function linkedPerson(
  { services }: Call,
  db: Db,
  provider: ProviderRow,
  { email }: AssertedPerson,
  linked: { id: string; userId: string },
): Promise<Admission> {
  if ((await findActiveMember(db, provider, linked.userId)) === undefined) return { error: 'no_org_access' }
  const lastLoginAt = new Date(services.clock.now()).toISOString()
  await db.updateTable('ssoIdentities').set({ email, lastLoginAt }).where('id', '=', linked.id).execute()
  await recordProven(db, provider, lastLoginAt)
  return { userId: linked.userId }
}

/** The active member. Accepts an open invitation when the account is known to no other tenant. */
async function findActiveMember(db: Db, { orgId }: ProviderRow, userId: string): Promise<Member | undefined> {
  const member = await memberOfOrganization(db, orgId, userId)
  if (member?.status === 'invited' && (await acceptByProvider(db, member)))
    return memberOfOrganization(db, orgId, userId)
  if (member?.status !== 'active') return undefined
  return (await findAccount(db, userId))?.status === 'active' ? member : undefined
}

async function newPerson(call: Call, db: Db, provider: ProviderRow, person: AssertedPerson): Promise<Admission> {
  const { autoProvision, defaultRoleId, orgId, partnerId } = provider
  if (!autoProvision) return { error: 'user_not_found' }
  if (defaultRoleId === null) return { error: 'default_role_required' }
  const { status } = await db
    .selectFrom('organizations')
    .select('status')
    .where('id', '=', orgId)
    .executeTakeFirstOrThrow()
  // Suspended organizations get no new members.
  if (status === 'suspended' || status === 'churned') return { error: 'no_org_access' }
  const tenant = { scope: 'organization', orgId, partnerId, name: '' } as const
  const role = await roleFor(db, tenant, defaultRoleId)
  const { email, name } = person
  const userId = await addMember(db, tenant, { email, name, roleId: role.id })
  call.audit({
    action: 'sso.user.create',
    target: userId,
    name: email,
    orgId,
    partnerId,
    details: { provider: provider.id, role: role.name },
    actor: { type: 'system', id: provider.id },
  })
  await link(call, db, provider, person, userId)
  return { userId }
}

async function link(
  { services, audit }: Call,
  db: Db,
  provider: ProviderRow,
  { issuer, subject, email }: AssertedPerson,
  userId: string,
): Promise<void> {
  const { id: providerId, orgId, partnerId } = provider
  const lastLoginAt = new Date(services.clock.now()).toISOString()
  await db
    .insertInto('ssoIdentities')
    .values({ providerId, orgId, partnerId, userId, issuer, subject, email, lastLoginAt })
    .execute()
  await recordProven(db, provider, lastLoginAt)
  audit({
    action: 'sso.identity.link',
    target: userId,
    name: email,
    orgId,
    partnerId,
    details: { provider: providerId, issuer, subject },
    actor: { type: 'user', id: userId, email },
  })
}
