import { randomBytes } from 'node:crypto'
import { accessTokensOf, opaqueToken } from '@muster/areas/access/auth/sessions/tokens.ts'
import { asSystem, type Db } from '@muster/db/database.ts'
import type { Scope } from '@muster/kit/contract.ts'
import { testServices } from './services.ts'

/** A signed-in person, with a real session and token. */
export interface Person {
  readonly userId: string
  readonly email: string
  readonly sessionId: string
  readonly token: string
}

export interface MembershipOptions {
  /** Name of a built-in role of the scope. */
  readonly role: string
  readonly orgAccess?: 'all' | 'selected' | 'none'
  readonly orgIds?: string[]
  readonly siteIds?: string[] | null
  readonly deviceGroupIds?: string[] | null
  readonly mfaEnabled?: boolean
  /** How long the person has been a member; a month by default. */
  readonly memberForDays?: number
}
type Tenant =
  | { scope: 'system' }
  | { scope: 'partner'; partnerId: string }
  | { scope: 'organization'; partnerId: string; orgId: string }

const roleId = async (db: Db, scope: Scope, name: string) =>
  (
    await db
      .selectFrom('roles')
      .select('id')
      .where('isSystem', '=', true)
      .where('scope', '=', scope)
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
  ).id

async function join(
  db: Db,
  userId: string,
  tenant: Tenant,
  { role, ...options }: MembershipOptions & { memberForDays: number },
) {
  const createdAt = new Date(Date.now() - options.memberForDays * 86_400_000).toISOString()
  const membership = { userId, roleId: await roleId(db, tenant.scope, role), createdAt }
  if (tenant.scope === 'system') return db.insertInto('systemUsers').values(membership).execute()
  if (tenant.scope === 'partner') {
    const { orgAccess = 'all', orgIds = [] } = options
    return db
      .insertInto('partnerUsers')
      .values({ ...membership, acceptedAt: createdAt, partnerId: tenant.partnerId, orgAccess, orgIds })
      .execute()
  }
  const { siteIds = null, deviceGroupIds = null } = options
  const { partnerId, orgId } = tenant
  return db
    .insertInto('organizationUsers')
    .values({ ...membership, acceptedAt: createdAt, partnerId, orgId, siteIds, deviceGroupIds })
    .execute()
}

/** A user with one membership and an open session. The second factor counts as enrolled by default. */
export async function person(tenant: Tenant, options: MembershipOptions): Promise<Person> {
  const { system } = await testServices()
  const email = `${randomBytes(6).toString('hex')}@example.test`
  const made = await asSystem(system, async (db) => {
    const { id: userId } = await db
      .insertInto('users')
      .values({
        email,
        name: `Person ${email.slice(0, 4)}`,
        status: 'active',
        mfaEnabled: options.mfaEnabled ?? true,
        emailVerifiedAt: new Date().toISOString(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await join(db, userId, tenant, { memberForDays: 30, ...options })
    return userId
  })
  return { ...(await signedIn(made, tenant)), email }
}

/** A new session of a user that passed the second factor. */
export async function signedIn(userId: string, tenant: Tenant): Promise<Omit<Person, 'email'>> {
  const services = await testServices()
  const { system } = services
  const accessTokens = accessTokensOf(services)
  const { id: sessionId } = await asSystem(system, (db) =>
    db
      .insertInto('sessions')
      .values({
        userId,
        tokenHash: opaqueToken(),
        mfa: true,
        expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const { scope } = tenant
  const token = await accessTokens.sign({
    userId,
    sessionId,
    scope,
    partnerId: scope === 'system' ? null : tenant.partnerId,
    orgId: scope === 'organization' ? tenant.orgId : null,
    mfa: true,
  })
  return { userId, sessionId, token }
}

/** Two organizations of one partner with a person of each kind. Worlds share nothing. */
export async function world() {
  const { system } = await testServices()
  const name = randomBytes(5).toString('hex')
  const tenants = await asSystem(system, async (db) => {
    const partner = await db
      .insertInto('partners')
      .values({ name: `Partner ${name}`, slug: `partner-${name}`, status: 'active' })
      .returningAll()
      .executeTakeFirstOrThrow()
    const organization = (label: string) =>
      db
        .insertInto('organizations')
        .values({ partnerId: partner.id, name: `Org ${label} ${name}`, slug: `${label}-${name}` })
        .returningAll()
        .executeTakeFirstOrThrow()
    const org = await organization('one')
    const otherOrg = await organization('two')
    const site = await db
      .insertInto('sites')
      .values({ orgId: org.id, partnerId: partner.id, name: `Site ${name}` })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { partner, org, otherOrg, site }
  })
  const { partner, org } = tenants
  return {
    ...tenants,
    systemAdmin: await person({ scope: 'system' }, { role: 'System Admin' }),
    partnerAdmin: await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Admin' }),
    partnerViewer: await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Viewer' }),
    orgAdmin: await person({ scope: 'organization', partnerId: partner.id, orgId: org.id }, { role: 'Org Admin' }),
  }
}
export type World = Awaited<ReturnType<typeof world>>
