import { asSystem, type Db } from '@muster/db/database.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { denied, notFound } from '@muster/kit/errors.ts'
import { type Call, implement } from '../../operation.ts'
import { addRole, deleteRole, renameRole } from '../roles/index.ts'
import type { ScimProvider } from '../sso/index.ts'
import { plainName, valueUnder } from './filter.rules.ts'
import { assignRoles } from './group-membership.ts'
import { findGroup, findGroups, type GroupRow, groupResource, membersOfGroup } from './group-resource.ts'
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
  wants,
} from './provider-call.ts'
import { groups as contract } from './scim.contract.ts'

const auditedMax = 50

export default implement(contract, {
  async list(call) {
    const { input, services } = call
    const provider = await callingProvider(call)
    const filter = filterOf(input)
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
      const row = await groupById(db, provider, input.id)
      return scimAnswer(await resourceOf(call, db, provider, row, input))
    })
  },

  async create(call) {
    return changeAsProvider(call, async (db, provider) => {
      requireWorking(provider)
      const given = groupInput(call.input)
      const { rows } = await findGroups(
        db,
        provider,
        { kind: 'compare', attribute: 'displayname', by: 'eq', value: given.displayName },
        { startIndex: 1, count: 1 },
      )
      if (rows.length > 0) throw taken('displayName: a role with this name exists already. Link the group to it')
      const description = `Made by ${provider.name}`.slice(0, 255)
      const { id } = await addRole(db, tenantOf(provider), given.displayName, description)
      await saveGroup(db, provider, id, given.externalId, true)
      await addMembers(db, provider, id, given.members)
      await assignRoles(db, provider, given.members)
      const details = { members: given.members.slice(0, auditedMax) }
      call.audit({ target: id, name: given.displayName, ...byProvider(provider), details })
      const row = await groupById(db, provider, id)
      const location = `${baseUrlOf(call)}/Groups/${id}`
      return scimAnswer(await resourceOf(call, db, provider, row, {}), 201, { location })
    })
  },

  async replace(call) {
    const { id, ...resource } = call.input
    return changeGroup(call, id, () => resource)
  },

  async patch(call) {
    const { id, operations } = call.input
    return changeGroup(call, id, (before) => asScimError(() => applyPatch(before, operations)))
  },

  async remove(call) {
    await changeAsProvider(call, async (db, provider) => {
      const row = await groupById(db, provider, call.input.id)
      if (!row.madeHere) throw denied('The identity provider did not create this role. Remove its members instead')
      const members = await membersOfGroup(db, provider, row.id)
      await db.deleteFrom('scimGroupMembers').where('roleId', '=', row.id).execute()
      const removed = members.map(({ id }) => id)
      await assignRoles(db, provider, removed)
      await deleteRole(db, row.id)
      call.audit({
        target: row.id,
        name: row.name,
        ...byProvider(provider),
        details: { members: removed.slice(0, auditedMax) },
      })
    })
    return scimAnswer(null, 204)
  },
})

async function groupById(db: Db, provider: ScimProvider, id: string): Promise<GroupRow> {
  const row = isId(id) ? await findGroup(db, provider, id) : undefined
  if (row === undefined) throw notFound('Group')
  return row
}

async function resourceOf(call: Call, db: Db, provider: ScimProvider, row: GroupRow, shown: Shown): Promise<object> {
  // Providers exclude members when they can, because a group may have many.
  const members = wants(shown, 'members') ? await membersOfGroup(db, provider, row.id) : []
  return only(groupResource(row, members, baseUrlOf(call)), shown)
}

interface GroupInput {
  readonly displayName: string
  readonly externalId: string | null
  readonly members: readonly string[]
}

function groupInput(resource: unknown): GroupInput {
  const displayName = valueUnder(resource, 'displayname')
  if (typeof displayName !== 'string' || displayName.trim() === '' || displayName.trim().length > 100) {
    throw badScim('invalidValue', 'displayName: must be a name of at most 100 characters')
  }
  const externalId = valueUnder(resource, plainName('externalId')) ?? null
  if (externalId !== null && (typeof externalId !== 'string' || externalId.length > 255)) {
    throw badScim('invalidValue', 'externalId: must be text of at most 255 characters')
  }
  const members = valueUnder(resource, 'members') ?? []
  if (!Array.isArray(members)) throw badScim('invalidValue', 'members: must be a list')
  const ids = members.map((member) => (typeof member === 'string' ? member : valueUnder(member, 'value')))
  const known = ids.filter((id) => typeof id === 'string' && isId(id))
  if (known.length !== ids.length) throw badScim('invalidValue', 'members: must contain IDs of users')
  return {
    displayName: displayName.trim(),
    externalId,
    members: [...new Set(known.map((id) => String(id).toLowerCase()))],
  }
}

async function changeGroup(
  call: Call,
  id: string,
  next: (before: Record<string, unknown>) => unknown,
): Promise<RawAnswer> {
  return changeAsProvider(call, async (db, provider) => {
    const row = await groupById(db, provider, id)
    const untouched = groupResource(row, await membersOfGroup(db, provider, row.id), baseUrlOf(call))
    const before = groupInput(untouched)
    const given = groupInput(next(untouched))
    if (given.displayName !== before.displayName) {
      if (!row.madeHere)
        throw badScim(
          'mutability',
          'displayName: the identity provider did not create this role, so it cannot rename it',
        )
      await renameRole(db, tenantOf(provider), row.id, given.displayName)
    }
    const added = given.members.filter((userId) => !before.members.includes(userId))
    const removed = before.members.filter((userId) => !given.members.includes(userId))
    if (added.length > 0) requireWorking(provider)
    await addMembers(db, provider, row.id, added)
    await removeMembers(db, provider, row.id, removed)
    await saveGroup(db, provider, row.id, given.externalId, row.madeHere)
    await assignRoles(db, provider, [...added, ...removed])
    const isSame = given.displayName === before.displayName && given.externalId === before.externalId
    if (!isSame || added.length + removed.length > 0) {
      const details = { added: added.slice(0, auditedMax), removed: removed.slice(0, auditedMax) }
      call.audit({ target: row.id, name: given.displayName, ...byProvider(provider), details })
    }
    return scimAnswer(await resourceOf(call, db, provider, await groupById(db, provider, row.id), {}))
  })
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
  if (found.length !== userIds.length) throw badScim('invalidValue', 'members: must be users of the organization')
  await db
    .insertInto('scimGroupMembers')
    .values(userIds.map((userId) => ({ providerId, orgId, partnerId, roleId, userId })))
    .onConflict((row) => row.doNothing())
    .execute()
}

async function removeMembers(db: Db, { id }: ScimProvider, roleId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await db
    .deleteFrom('scimGroupMembers')
    .where('providerId', '=', id)
    .where('roleId', '=', roleId)
    .where('userId', 'in', [...userIds])
    .execute()
}

async function saveGroup(
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
