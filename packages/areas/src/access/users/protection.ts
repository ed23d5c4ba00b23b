// What an administrator does for a member whose account is lost or in wrong hands. An account belongs to a person, who may be
// a member elsewhere too: nobody touches it who is not in charge of everything that it opens.

import { randomBytes } from 'node:crypto'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { badRequest, denied } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { callersOf } from '../../caller-cache.ts'
import { type Call, implement } from '../../operation.ts'
import { requireUnlimited, type TenantInput } from '../../tenancy/tenancy/index.ts'
import { isPermission } from '../../vocabulary.contract.ts'
import { revokeKeys } from '../api-keys/index.ts'
import {
  clearFactors,
  handResetLink,
  limitsOf,
  mailResetLink,
  notice,
  revokeSessions,
  revokeSessionsIn,
} from '../auth/index.ts'
import { effectivePermissions, holdsAll } from '../roles/index.ts'
import { requireNotGreaterMember } from './greater-members.ts'
import { type Member, memberById } from './members.queries.ts'
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
      const whole = await isInCharge(db, call.caller, id)
      const sessions = whole ? await revokeSessions(db, id) : await revokeSessionsIn(db, id, { partnerId, orgId })
      call.audit({ ...subject(member), details: { sessions } })
      return { success: true as const, sessions }
    })
  },

  async resetMfa(call) {
    return change(call, call.input, async (db, member) => {
      await requireInCharge(db, call.caller, member)
      const had = await clearFactors(db, member.id)
      await restartStanding(db, member, call.caller)
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
      await requireInCharge(db, caller, member, isHanded)
      await limitsOf(services).take('resetByAdminPerUser', member.id)
      if (member.status !== 'active') throw badRequest('Only an active user can be sent a link to set a password')
      const replaced = await db
        .updateTable('users')
        .set({ passwordHash: hashOfNothing() })
        .where('id', '=', member.id)
        .where('passwordHash', 'is not', null)
        .returning('id')
        .executeTakeFirst()
      if (replaced === undefined) throw badRequest('This account signs in without a password')
      await restartStanding(db, member, caller)
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
  const { caller, services, after } = call
  requireUnlimited(caller)
  if (id === caller.userId) throw badRequest('Use your own account for that')
  const result = await call.write(async (db) => {
    const member = await memberById(db, caller, id, named)
    // The account before its sessions, as everywhere: two who end them at once would wait for each other.
    await db.selectFrom('users').select('id').where('id', '=', member.id).forNoKeyUpdate().execute()
    return make(db, member)
  })
  after(() => callersOf(services).clear())
  return result
}

async function endEverything(db: Db, { id, partnerId, orgId }: Member): Promise<Ended> {
  return { sessions: await revokeSessions(db, id), apiKeys: await revokeKeys(db, { userId: id, partnerId, orgId }) }
}

/** An administrator who reset a sign-in may hold it: for a week, and for what that administrator asks, it is no second person. */
async function restartStanding(db: Db, { id }: Member, { userId }: Caller): Promise<void> {
  const granted = sql`SET granted_by = ${userId}, granted_at = now() WHERE user_id = ${id}`
  for (const table of ['system_users', 'partner_users', 'organization_users']) {
    await sql`UPDATE ${sql.table(table)} ${granted}`.execute(db)
  }
}

interface Place {
  readonly partnerId: string | null
  readonly orgId: string | null
  readonly roleId: string
}

/**
 * Does all that the account opens lie within the caller's reach, and does the caller hold all that it may do there?
 * Partners that wait for approval open nothing, and anyone can register one with any address: they do not count.
 * @param opens whoever is in charge gets a link that opens the account: then they do count, and the caller must be limited
 * in nothing
 */
async function isInCharge(db: Db, caller: Caller, userId: string, opens = false): Promise<boolean> {
  if (caller.scope === 'system' && !opens) return true
  if (opens && (caller.siteIds !== null || caller.deviceGroupIds !== null)) return false
  const { rows: places } = await sql<Place>`
    SELECT NULL::uuid AS partner_id, NULL::uuid AS org_id, role_id FROM system_users WHERE user_id = ${userId}
    UNION ALL SELECT m.partner_id, NULL, m.role_id FROM partner_users m
      JOIN partners p ON p.id = m.partner_id AND p.deleted_at IS NULL AND (p.status <> 'pending' OR ${opens}) WHERE m.user_id = ${userId}
    UNION ALL SELECT m.partner_id, m.org_id, m.role_id FROM organization_users m
      JOIN organizations o ON o.id = m.org_id AND o.deleted_at IS NULL WHERE m.user_id = ${userId}`.execute(db)
  const within = ({ partnerId, orgId }: Place) =>
    caller.scope === 'system' ||
    (caller.scope === 'organization' ? orgId === caller.orgId : partnerId === caller.partnerId)
  if (!places.every(within)) return false
  const allowed = await effectivePermissions(
    db,
    places.map(({ roleId }) => roleId),
  )
  return holdsAll(caller, allowed.map(({ resource, action }) => `${resource}:${action}`).filter(isPermission))
}

/** @throws FORBIDDEN with the same words for both reasons, so that memberships elsewhere do not show */
async function requireInCharge(db: Db, caller: Caller, { id }: Member, opens = false): Promise<void> {
  if (!(await isInCharge(db, caller, id, opens))) {
    throw denied('Only somebody who is in charge of everything that this account may do can do that')
  }
}

/** What no password has: it keeps the account one that signs in with a password, once the link has set it. */
const hashOfNothing = () => {
  const part = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=19456,t=2,p=1$${part(16)}$${part(32)}`
}
