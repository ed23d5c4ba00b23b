import { asSystem, type Db } from '@muster/db/database.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { denied, invariant, notFound } from '@muster/kit/errors.ts'
import { callersOf } from '../../caller-cache.ts'
import { type Call, implement } from '../../operation.ts'
import type { ScimProvider } from '../sso/index.ts'
import { changeMember, type Member, memberOfOrganization, provisionMember, removeProvisioned } from '../users/index.ts'
import { parseFilter } from './filter.rules.ts'
import { fallbackRole } from './group-membership.ts'
import { applyPatch } from './patch.rules.ts'
import {
  badScim,
  byProvider,
  callingProvider,
  isId,
  listOf,
  lockProvider,
  only,
  type Shown,
  scimAnswer,
  taken,
  tenantOf,
  understood,
} from './provider-call.ts'
import { users as contract } from './scim.contract.ts'
import { findUser, findUsers, meant, type SaidUser, saidUser, userResource } from './user-resource.ts'

const baseUrlOf = ({ services }: Pick<Call, 'services'>) => `${services.settings.publicUrl}/scim/v2`

export default implement(contract, {
  async list(call) {
    const { input, services } = call
    const provider = await callingProvider(call)
    const filter = input.filter === undefined ? null : understood(() => parseFilter(input.filter ?? ''))
    const { rows, total } = await asSystem(services.system, (db) => findUsers(db, provider, filter, input))
    const base = baseUrlOf(call)
    return listOf(
      rows.map((row) => only(userResource(row, base), input)),
      total,
      input.startIndex,
    )
  },

  async get(call) {
    const provider = await callingProvider(call)
    return asSystem(call.services.system, (db) => shown(call, db, provider, call.input.id, call.input))
  },

  async create(call) {
    const { services, input, audit, afterCommit } = call
    const provider = await callingProvider(call)
    if (provider.orgStatus === 'suspended' || provider.orgStatus === 'churned') {
      throw denied(`Organization is ${provider.orgStatus}`)
    }
    const said = saidUser(input)
    const answer = await call.write(async (db) => {
      await lockProvider(db, provider)
      await requireFreeUserName(db, provider, said.userName)
      const name = said.name ?? said.userName
      const roleId = await fallbackRole(db, provider)
      const by = provider.name
      const userId = await provisionMember(db, services, tenantOf(provider), { email: said.email, name, roleId }, by)
      if (userId === null) throw taken('There is a user with this address already')
      await keep(db, provider, userId, said)
      if (!said.active) await change(db, await memberOrNone(db, provider, userId), { active: false })
      audit({ target: userId, name: said.email, ...byProvider(provider), details: { ...about(said) } })
      return shown(call, db, provider, userId, input as Shown, 201)
    })
    afterCommit(() => callersOf(services).clear())
    return answer
  },

  async replace(call) {
    const { id, ...resource } = call.input
    return changed(call, id, () => resource, 'whole')
  },

  async patch(call) {
    const { id, operations } = call.input
    return changed(call, id, (before) => understood(() => applyPatch(before, operations)), 'parts')
  },

  async remove(call) {
    const { services, input, audit, afterCommit } = call
    const provider = await callingProvider(call)
    await call.write(async (db) => {
      await lockProvider(db, provider)
      const member = await memberOrNone(db, provider, input.id)
      await removeProvisioned(db, member)
      await forget(db, provider, member.id)
      audit({ target: member.id, name: member.email, ...byProvider(provider), details: { provider: provider.id } })
    })
    afterCommit(() => callersOf(services).clear())
    return scimAnswer(null, 204)
  },
})

const noUser = () => notFound('User')

async function memberOrNone(db: Db, { orgId }: ScimProvider, id: string): Promise<Member> {
  const member = isId(id) ? await memberOfOrganization(db, orgId, id) : undefined
  if (member === undefined) throw noUser()
  return member
}

async function shown(
  call: Call,
  db: Db,
  provider: ScimProvider,
  id: string,
  wanted: Shown,
  status = 200,
): Promise<RawAnswer> {
  const row = isId(id) ? await findUser(db, provider, id) : undefined
  if (row === undefined) throw noUser()
  const resource = userResource(row, baseUrlOf(call))
  const headers: Record<string, string> = status === 201 ? { location: resource.meta.location } : {}
  return scimAnswer(only(resource, typeof wanted.attributes === 'string' ? wanted : {}), status, headers)
}

const about = ({ userName, externalId, active }: SaidUser) => ({ userName, externalId, active })

/** One road for PUT and PATCH: the resource as it is, as it is to be, and the difference carried out. */
async function changed(
  call: Call,
  id: string,
  next: (before: Record<string, unknown>) => unknown,
  how: 'whole' | 'parts',
): Promise<RawAnswer> {
  const { services, audit, afterCommit } = call
  const provider = await callingProvider(call)
  const answer = await call.write(async (db) => {
    await lockProvider(db, provider)
    const member = await memberOrNone(db, provider, id)
    const row = await findUser(db, provider, member.id)
    invariant(row !== undefined, 'a member can be read')
    const untouched = userResource(row, baseUrlOf(call))
    const resource = next(untouched)
    const before = saidUser(untouched)
    const said = how === 'whole' ? saidUser(resource) : meant(before, saidUser(resource), resource, untouched)
    if (said.userName.toLowerCase() !== before.userName.toLowerCase()) {
      await requireFreeUserName(db, provider, said.userName, member.id)
    }
    const { email, active, name } = said
    await change(db, member, { email, active, ...(name === null ? {} : { name }) })
    await keep(db, provider, member.id, said)
    if (JSON.stringify(before) !== JSON.stringify(said)) {
      audit({ target: member.id, name: said.email, ...byProvider(provider), before, after: said })
    }
    return shown(call, db, provider, member.id, {})
  })
  afterCommit(() => callersOf(services).clear())
  return answer
}

async function change(db: Db, member: Member, changes: Parameters<typeof changeMember>[2]): Promise<void> {
  const outcome = await changeMember(db, member, changes)
  if (outcome === 'taken') throw taken('There is an account with this address already')
  if (outcome === 'owned') {
    throw badScim(
      'mutability',
      'emails: the address of an account that its owner has proven, or that may do more than look, cannot be changed here',
    )
  }
}

async function requireFreeUserName(
  db: Db,
  provider: ScimProvider,
  userName: string,
  except: string | null = null,
): Promise<void> {
  const { rows } = await findUsers(
    db,
    provider,
    { kind: 'compare', attribute: 'username', by: 'eq', value: userName },
    { startIndex: 1, count: 2 },
  )
  if (rows.some(({ id }) => id !== except)) throw taken('There is a user with this userName already')
}

/** What the provider says of the member and nobody else needs. */
async function keep(
  db: Db,
  { id: providerId, orgId, partnerId }: ScimProvider,
  userId: string,
  said: SaidUser,
): Promise<void> {
  const { userName, externalId, givenName, familyName } = said
  const known = { userName, externalId, givenName, familyName, updatedAt: new Date().toISOString() }
  await db
    .insertInto('scimUsers')
    .values({ providerId, orgId, partnerId, userId, ...known })
    .onConflict((row) => row.columns(['providerId', 'userId']).doUpdateSet(known))
    .execute()
}

/** The member has gone: it may come back as somebody new, and be linked anew. */
async function forget(db: Db, { id }: ScimProvider, userId: string): Promise<void> {
  for (const table of ['scimUsers', 'scimGroupMembers', 'ssoIdentities'] as const) {
    await db.deleteFrom(table).where('providerId', '=', id).where('userId', '=', userId).execute()
  }
}
