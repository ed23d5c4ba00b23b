import { asSystem, type Db } from '@muster/db/database.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { callersOf } from '../../caller-cache.ts'
import { type Call, implement } from '../../operation.ts'
import { addRole, dropRole, renameRole } from '../roles/index.ts'
import type { ScimProvider } from '../sso/index.ts'
import { parseFilter, plainName, valueUnder } from './filter.rules.ts'
import { settleRoles } from './group-membership.ts'
import { findGroup, findGroups, type GroupRow, groupResource, membersOfGroup } from './group-resource.ts'
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
  wants,
} from './provider-call.ts'
import { groups as contract } from './scim.contract.ts'

const baseUrlOf = ({ services }: Pick<Call, 'services'>) => `${services.settings.publicUrl}/scim/v2`
const namedMax = 50

export default implement(contract, {
  async list(call) {
    const { input, services } = call
    const provider = await callingProvider(call)
    const filter = input.filter === undefined ? null : understood(() => parseFilter(input.filter ?? ''))
    return asSystem(services.system, async (db) => {
      const { rows, total } = await findGroups(db, provider, filter, input)
      const resources: object[] = []
      for (const row of rows) resources.push(await resourceOf(call, db, provider, row, input))
      return listOf(resources, total, input.startIndex)
    })
  },

  async get(call) {
    const { input, services } = call
    const provider = await callingProvider(call)
    return asSystem(services.system, async (db) => {
      const row = await groupOrNone(db, provider, input.id)
      return scimAnswer(await resourceOf(call, db, provider, row, input))
    })
  },

  async create(call) {
    const { input, services, audit, afterCommit } = call
    const provider = await callingProvider(call)
    requireWorking(provider)
    const said = saidGroup(input)
    const answer = await call.write(async (db) => {
      await lockProvider(db, provider)
      const { rows } = await findGroups(
        db,
        provider,
        { kind: 'compare', attribute: 'displayname', by: 'eq', value: said.displayName },
        { startIndex: 1, count: 1 },
      )
      if (rows.length > 0) throw taken('There is a role with this name already: link the group to it')
      const description = `Made by ${provider.name}`.slice(0, 255)
      const { id } = await addRole(db, tenantOf(provider), said.displayName, description)
      await keep(db, provider, id, said.externalId, true)
      await addMembers(db, provider, id, said.members)
      await settleRoles(db, provider, said.members)
      const details = { members: said.members.slice(0, namedMax) }
      audit({ target: id, name: said.displayName, ...byProvider(provider), details })
      const row = await groupOrNone(db, provider, id)
      const location = `${baseUrlOf(call)}/Groups/${id}`
      return scimAnswer(await resourceOf(call, db, provider, row, {}), 201, { location })
    })
    afterCommit(() => callersOf(services).clear())
    return answer
  },

  async replace(call) {
    const { id, ...resource } = call.input
    return changed(call, id, () => resource)
  },

  async patch(call) {
    const { id, operations } = call.input
    return changed(call, id, (before) => understood(() => applyPatch(before, operations)))
  },

  async remove(call) {
    const { input, services, audit, afterCommit } = call
    const provider = await callingProvider(call)
    await call.write(async (db) => {
      await lockProvider(db, provider)
      const row = await groupOrNone(db, provider, input.id)
      if (!row.madeHere) throw denied('This role was not made by the identity provider: take its members out instead')
      const members = await membersOfGroup(db, provider, row.id)
      await db.deleteFrom('scimGroupMembers').where('roleId', '=', row.id).execute()
      const gone = members.map(({ id }) => id)
      await settleRoles(db, provider, gone)
      await dropRole(db, row.id)
      audit({ target: row.id, name: row.name, ...byProvider(provider), details: { members: gone.slice(0, namedMax) } })
    })
    afterCommit(() => callersOf(services).clear())
    return scimAnswer(null, 204)
  },
})

function requireWorking({ orgStatus }: ScimProvider): void {
  if (orgStatus === 'suspended' || orgStatus === 'churned') throw denied(`Organization is ${orgStatus}`)
}

async function groupOrNone(db: Db, provider: ScimProvider, id: string): Promise<GroupRow> {
  const row = isId(id) ? await findGroup(db, provider, id) : undefined
  if (row === undefined) throw notFound('Group')
  return row
}

async function resourceOf(call: Call, db: Db, provider: ScimProvider, row: GroupRow, shown: Shown): Promise<object> {
  // Providers leave the members out where they can, because there may be many.
  const members = wants(shown, 'members') ? await membersOfGroup(db, provider, row.id) : []
  return only(groupResource(row, members, baseUrlOf(call)), shown)
}

interface SaidGroup {
  readonly displayName: string
  readonly externalId: string | null
  readonly members: readonly string[]
}

function saidGroup(resource: unknown): SaidGroup {
  const displayName = valueUnder(resource, 'displayname')
  if (typeof displayName !== 'string' || displayName.trim() === '' || displayName.trim().length > 100) {
    throw badScim('invalidValue', 'displayName must be a name of 100 characters at most')
  }
  const externalId = valueUnder(resource, plainName('externalId')) ?? null
  if (externalId !== null && (typeof externalId !== 'string' || externalId.length > 255)) {
    throw badScim('invalidValue', 'externalId is not a short text')
  }
  const members = valueUnder(resource, 'members') ?? []
  if (!Array.isArray(members)) throw badScim('invalidValue', 'members must be a list')
  const ids = members.map((member) => (typeof member === 'string' ? member : valueUnder(member, 'value')))
  const known = ids.filter((id) => typeof id === 'string' && isId(id))
  if (known.length !== ids.length) throw badScim('invalidValue', 'members must be named by the ids of users')
  return {
    displayName: displayName.trim(),
    externalId,
    members: [...new Set(known.map((id) => String(id).toLowerCase()))],
  }
}

async function changed(call: Call, id: string, next: (before: Record<string, unknown>) => unknown): Promise<RawAnswer> {
  const { services, audit, afterCommit } = call
  const provider = await callingProvider(call)
  const answer = await call.write(async (db) => {
    await lockProvider(db, provider)
    const row = await groupOrNone(db, provider, id)
    const untouched = groupResource(row, await membersOfGroup(db, provider, row.id), baseUrlOf(call))
    const before = saidGroup(untouched)
    const said = saidGroup(next(untouched))
    if (said.displayName !== before.displayName) {
      if (!row.madeHere)
        throw badScim('mutability', 'This role was not made by the identity provider: it keeps its name')
      await renameRole(db, tenantOf(provider), row.id, said.displayName)
    }
    const added = said.members.filter((userId) => !before.members.includes(userId))
    const removed = before.members.filter((userId) => !said.members.includes(userId))
    if (added.length > 0) requireWorking(provider)
    await addMembers(db, provider, row.id, added)
    await takeMembers(db, provider, row.id, removed)
    await keep(db, provider, row.id, said.externalId, row.madeHere)
    await settleRoles(db, provider, [...added, ...removed])
    const isSame = said.displayName === before.displayName && said.externalId === before.externalId
    if (!isSame || added.length + removed.length > 0) {
      const details = { added: added.slice(0, namedMax), removed: removed.slice(0, namedMax) }
      audit({ target: row.id, name: said.displayName, ...byProvider(provider), details })
    }
    return scimAnswer(await resourceOf(call, db, provider, await groupOrNone(db, provider, row.id), {}))
  })
  afterCommit(() => callersOf(services).clear())
  return answer
}

async function addMembers(
  db: Db,
  { id: providerId, orgId, partnerId }: ScimProvider,
  roleId: string,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return
  const found = await db
    .selectFrom('organizationUsers')
    .select('userId')
    .where('orgId', '=', orgId)
    .where('userId', 'in', [...userIds])
    .execute()
  if (found.length !== userIds.length) throw badScim('invalidValue', 'members must be users of the organization')
  await db
    .insertInto('scimGroupMembers')
    .values(userIds.map((userId) => ({ providerId, orgId, partnerId, roleId, userId })))
    .onConflict((row) => row.doNothing())
    .execute()
}

async function takeMembers(db: Db, { id }: ScimProvider, roleId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await db
    .deleteFrom('scimGroupMembers')
    .where('providerId', '=', id)
    .where('roleId', '=', roleId)
    .where('userId', 'in', [...userIds])
    .execute()
}

async function keep(
  db: Db,
  { id: providerId, orgId, partnerId }: ScimProvider,
  roleId: string,
  externalId: string | null,
  madeHere: boolean,
): Promise<void> {
  const updatedAt = new Date().toISOString()
  await db
    .insertInto('scimGroups')
    .values({ providerId, orgId, partnerId, roleId, externalId, madeHere, updatedAt })
    .onConflict((row) => row.columns(['providerId', 'roleId']).doUpdateSet({ externalId, updatedAt }))
    .execute()
}
