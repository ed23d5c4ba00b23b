import { asSystem, type Db } from '@muster/db/database.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { invariant, notFound } from '@muster/kit/errors.ts'
import { type Call, implement } from '../../operation.ts'
import type { ScimProvider } from '../sso/index.ts'
import { changeMember, type Member, memberOfOrganization, provisionMember, removeProvisioned } from '../users/index.ts'
import { fallbackRole } from './group-membership.ts'
import { applyPatch } from './patch.rules.ts'
import {
  asScimError,
  badScim,
  baseUrlOf,
  byProvider,
  callingProvider,
  changeAsProvider,
  filterOf,
  isId,
  listOf,
  only,
  requireWorking,
  type Shown,
  scimAnswer,
  taken,
  tenantOf,
} from './provider-call.ts'
import { users as contract } from './scim.contract.ts'
import { findUser, findUsers, intended, type UserInput, userInput, userResource } from './user-resource.ts'

export default implement(contract, {
  async list(call) {
    const { input, services } = call
    const provider = await callingProvider(call)
    const filter = filterOf(input)
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
    const { services, input } = call
    return changeAsProvider(call, async (db, provider) => {
      requireWorking(provider)
      const given = userInput(input)
      await requireFreeUserName(db, provider, given.userName)
      const name = given.name ?? given.userName
      const roleId = await fallbackRole(db, provider)
      const by = provider.name
      const userId = await provisionMember(db, services, tenantOf(provider), { email: given.email, name, roleId }, by)
      if (userId === null) throw taken('emails: a user with this address exists already')
      await saveUser(db, provider, userId, given)
      if (!given.active) await change(db, await memberById(db, provider, userId), { active: false })
      call.audit({ target: userId, name: given.email, ...byProvider(provider), details: { ...about(given) } })
      return shown(call, db, provider, userId, input as Shown, 201)
    })
  },

  async replace(call) {
    const { id, ...resource } = call.input
    return changeUser(call, id, () => resource, 'whole')
  },

  async patch(call) {
    const { id, operations } = call.input
    return changeUser(call, id, (before) => asScimError(() => applyPatch(before, operations)), 'parts')
  },

  async remove(call) {
    await changeAsProvider(call, async (db, provider) => {
      const member = await memberById(db, provider, call.input.id)
      await removeProvisioned(db, member)
      await deleteLinks(db, provider, member.id)
      call.audit({ target: member.id, name: member.email, ...byProvider(provider), details: { provider: provider.id } })
    })
    return scimAnswer(null, 204)
  },
})

const userNotFound = () => notFound('User')

async function memberById(db: Db, { orgId }: ScimProvider, id: string): Promise<Member> {
  const member = isId(id) ? await memberOfOrganization(db, orgId, id) : undefined
  if (member === undefined) throw userNotFound()
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
  if (row === undefined) throw userNotFound()
  const resource = userResource(row, baseUrlOf(call))
  const headers: Record<string, string> = status === 201 ? { location: resource.meta.location } : {}
  return scimAnswer(only(resource, typeof wanted.attributes === 'string' ? wanted : {}), status, headers)
}

const about = ({ userName, externalId, active }: UserInput) => ({ userName, externalId, active })

/** Applies PUT and PATCH: computes the resource after the change and stores the difference. */
async function changeUser(
  call: Call,
  id: string,
  next: (before: Record<string, unknown>) => unknown,
  how: 'whole' | 'parts',
): Promise<RawAnswer> {
  return changeAsProvider(call, async (db, provider) => {
    const member = await memberById(db, provider, id)
    const row = await findUser(db, provider, member.id)
    invariant(row !== undefined, 'the member has a SCIM resource')
    const untouched = userResource(row, baseUrlOf(call))
    const resource = next(untouched)
    const before = userInput(untouched)
    const given = how === 'whole' ? userInput(resource) : intended(before, userInput(resource), resource, untouched)
    if (given.userName.toLowerCase() !== before.userName.toLowerCase()) {
      await requireFreeUserName(db, provider, given.userName, member.id)
    }
    const { email, active, name } = given
    await change(db, member, { email, active, ...(name === null ? {} : { name }) })
    await saveUser(db, provider, member.id, given)
    if (JSON.stringify(before) !== JSON.stringify(given)) {
      call.audit({ target: member.id, name: given.email, ...byProvider(provider), before, after: given })
    }
    return shown(call, db, provider, member.id, {})
  })
}

async function change(db: Db, member: Member, changes: Parameters<typeof changeMember>[2]): Promise<void> {
  const outcome = await changeMember(db, member, changes)
  if (outcome === 'taken') throw taken('emails: another account has this address')
  if (outcome === 'owned') {
    throw badScim(
      'mutability',
      'emails: the address cannot be changed here, because its owner has proven it or the role is not read-only',
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
  if (rows.some(({ id }) => id !== except)) throw taken('userName: another user has this userName')
}

/** Stores attributes of the member that only the provider needs. */
async function saveUser(
  db: Db,
  { id: providerId, orgId, partnerId }: ScimProvider,
  userId: string,
  given: UserInput,
): Promise<void> {
  const { userName, externalId, givenName, familyName } = given
  const known = { userName, externalId, givenName, familyName, updatedAt: new Date().toISOString() }
  await db
    .insertInto('scimUsers')
    .values({ providerId, orgId, partnerId, userId, ...known })
    .onConflict((row) => row.columns(['providerId', 'userId']).doUpdateSet(known))
    .execute()
}

/** Deletes the links of a removed member. The provider may add and link the person again. */
async function deleteLinks(db: Db, { id }: ScimProvider, userId: string): Promise<void> {
  for (const table of ['scimUsers', 'scimGroupMembers', 'ssoIdentities'] as const) {
    await db.deleteFrom(table).where('providerId', '=', id).where('userId', '=', userId).execute()
  }
}
