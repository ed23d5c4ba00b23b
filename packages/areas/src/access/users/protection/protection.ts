// What an administrator can do for a member whose account is lost or compromised. The person may be a member of other tenants
// too, so these operations require an administrator who manages everything that the account can access.

import { randomBytes } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { badRequest, denied } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { callersOf } from '../../../caller-cache.ts'
import { type Call, implement } from '../../../operation.ts'
import { requireUnlimited, type TenantInput } from '../../../tenancy/tenancy/index.ts'
import { isPermission } from '../../../vocabulary.contract.ts'
import { revokeKeys } from '../../api-keys/index.ts'
import {
  clearFactors,
  handResetLink,
  limitsOf,
  mailResetLink,
  notice,
  revokeSessions,
  revokeSessionsIn,
} from '../../auth/index.ts'
import { effectivePermissions, holdsAll } from '../../roles/index.ts'
import { requireNotGreaterMember } from '../greater-members.ts'
import { type Member, memberById } from '../members.queries.ts'
import { protection as contract } from './protection.contract.ts'

type Input = TenantInput & { readonly id: string }
interface Ended {
  readonly sessions: number
  readonly apiKeys: number
}

export default implement(contract, {
  async endSessions(call) {
    return change(call, call.input, async (db, member) => {
      const { id, partnerId, orgId } = member
      await requireNotGreaterMember(db, call.caller, member)
      const whole = await managesAccount(db, call.caller, id)
      const sessions = whole ? await revokeSessions(db, id) : await revokeSessionsIn(db, id, { partnerId, orgId })
      call.audit({ ...subject(member), details: { sessions } })
      return { success: true as const, sessions }
    })
  },

  async resetMfa(call) {
    return change(call, call.input, async (db, member) => {
      await requireManager(db, call.caller, member)
      const had = await clearFactors(db, member.id)
      await recordReset(db, member, call.caller)
      const ended = await endEverything(db, member)
      call.audit({ ...subject(member), details: { ...had, ...ended } })
      await notice(db, call.services, member, member, 'mfa-reset')
      return { success: true as const, ...ended }
    })
  },

  async resetPassword(call) {
    return change(call, call.input, async (db, member) => {
      const { caller, services } = call
      const isHanded = services.settings.mailServer === false
      await requireManager(db, caller, member, isHanded)
      await limitsOf(services).take('resetByAdminPerUser', member.id)
      if (member.status !== 'active')
        throw badRequest('id: the user is not active. Only active users can be sent a link to set a password')
      const replaced = await db
        .updateTable('users')
        .set({ passwordHash: unmatchableHash() })
        .where('id', '=', member.id)
        .where('passwordHash', 'is not', null)
        .returning('id')
        .executeTakeFirst()
      if (replaced === undefined)
        throw badRequest('This account signs in without a password, so there is none to reset')
      await recordReset(db, member, caller)
      await mailResetLink(db, services, member, member)
      const resetUrl = isHanded ? await handResetLink(db, services, member) : undefined
      const ended = await endEverything(db, member)
      call.audit({ ...subject(member), details: { ...ended } })
      return { success: true as const, ...ended, resetUrl }
    })
  },
})

const subject = ({ id, email, orgId, partnerId }: Member) => ({ target: id, name: email, orgId, partnerId })

async function change<T>(
  call: Call,
  { id, ...named }: Input,
  make: (db: Db, member: Member) => Promise<T>,
): Promise<T> {
  const { caller, services, afterCommit } = call
  requireUnlimited(caller)
  if (id === caller.userId) throw badRequest('id: is your own account. Use the operations of your profile instead')
  const result = await call.write(async (db) => {
    const member = await memberById(db, caller, id, named)
    // Lock the account before its sessions, as all other code does. Otherwise two requests could deadlock.
    await db.selectFrom('users').select('id').where('id', '=', member.id).forNoKeyUpdate().execute()
    return make(db, member)
  })
  afterCommit(() => callersOf(services).clear())
  return result
}

async function endEverything(db: Db, { id, partnerId, orgId }: Member): Promise<Ended> {
  return { sessions: await revokeSessions(db, id), apiKeys: await revokeKeys(db, { userId: id, partnerId, orgId }) }
}

/** Records who reset the sign-in. That administrator may hold it, so the member is no second person for them for a week. */
async function recordReset(db: Db, { id }: Member, { userId }: Caller): Promise<void> {
  const granted = sql`SET granted_by = ${userId}, granted_at = now() WHERE user_id = ${id}`
  for (const table of ['system_users', 'partner_users', 'organization_users']) {
    await sql`UPDATE ${sql.table(table)} ${granted}`.execute(db)
  }
}

interface Access {
  readonly partnerId: string | null
  readonly orgId: string | null
  readonly roleId: string
}

/**
 * Whether everything that the account can access lies within the caller's reach and permissions. Pending partners do not
 * count, because they grant no access and any person can register one with any address.
 * @param givesLink the caller receives a link that opens the account: then pending partners count, and a caller with limits to
 * sites or groups is rejected
 */
async function managesAccount(db: Db, caller: Caller, userId: string, givesLink = false): Promise<boolean> {
  if (caller.scope === 'system' && !givesLink) return true
  if (givesLink && (caller.siteIds !== null || caller.deviceGroupIds !== null)) return false
  const { rows: accesses } = await sql<Access>`
    SELECT NULL::uuid AS partner_id, NULL::uuid AS org_id, role_id FROM system_users WHERE user_id = ${userId}
    UNION ALL SELECT m.partner_id, NULL, m.role_id FROM partner_users m
      JOIN partners p ON p.id = m.partner_id AND p.deleted_at IS NULL AND (p.status <> 'pending' OR ${givesLink}) WHERE m.user_id = ${userId}
    UNION ALL SELECT m.partner_id, m.org_id, m.role_id FROM organization_users m
      JOIN organizations o ON o.id = m.org_id AND o.deleted_at IS NULL WHERE m.user_id = ${userId}`.execute(db)
  const isInReach = ({ partnerId, orgId }: Access) =>
    caller.scope === 'system' ||
    (caller.scope === 'organization' ? orgId === caller.orgId : partnerId === caller.partnerId)
  if (!accesses.every(isInReach)) return false
  const allowed = await effectivePermissions(
    db,
    accesses.map(({ roleId }) => roleId),
  )
  return holdsAll(caller, allowed.map(({ resource, action }) => `${resource}:${action}`).filter(isPermission))
}

/** @throws FORBIDDEN with the same message for both reasons, so that memberships in other tenants are not revealed */
async function requireManager(db: Db, caller: Caller, { id }: Member, givesLink = false): Promise<void> {
  if (!(await managesAccount(db, caller, id, givesLink))) {
    throw denied('Only an administrator who manages everything that this account can access can do that')
  }
}

/** A hash that no password matches. The account keeps signing in with a password after the link has set one. */
const unmatchableHash = () => {
  const part = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=19456,t=2,p=1$${part(16)}$${part(32)}`
}
