import { asSystem } from '@muster/db/database.ts'
import { badRequest, invalid, unauthenticated } from '@muster/kit/errors.ts'
import { originOf } from '@muster/kit/network/addresses.ts'
import { callersOf } from '../../../caller-cache.ts'
import { type Call, implement } from '../../../operation.ts'
import { limitsOf } from '../limits.ts'
import { notice } from '../notices.ts'
import { passwordsOf } from '../passwords/passwords.ts'
import { requireStrongPassword } from '../passwords/strength.ts'
import { type Account, findAccount, findAccountByEmail } from '../sessions/accounts.queries.ts'
import { type Membership, membershipsOf } from '../sessions/memberships.queries.ts'
import { revokeSessions } from '../sessions/sessions.queries.ts'
import { inConstantTime } from './constant-time.ts'
import { requiresSso } from './enforced-sso.ts'
import { proveMailbox, vouch } from './first-proof.ts'
import { findToken, redeemToken, withdrawTokens } from './one-time-tokens.ts'
import { password as contract } from './password.contract.ts'
import { mailResetLink } from './reset-link.ts'
import { clearRefreshCookie, passwordUnchanged } from './sign-in.ts'
import { admitWaitingPartners } from './waiting-partners.ts'

const badToken = () => badRequest('Invalid or expired reset token')

export default implement(contract, {
  async forgot(call) {
    const { services, request, input } = call
    await limitsOf(services).take('resetRequestPerAddress', originOf(request.ip))
    await inConstantTime(() => sendResetLink(call, input.email.toLowerCase()))
    return {
      success: true as const,
      message: 'If there is an account with this email address, a link to set a new password was sent to it',
    }
  },

  async reset(call) {
    const { services, request, input, audit, afterCommit } = call
    const origin = originOf(request.ip)
    await limitsOf(services).take('tokenPerAddress', origin)
    const { account, memberships } = await asSystem(services.system, async (db) => {
      const found = await findToken(db, services, 'reset-password', input.token)
      if (found === undefined) throw badToken()
      const { userId } = found
      return { account: await findAccount(db, userId), memberships: await membershipsOf(db, userId) }
    })
    if (account?.status !== 'active' || requiresSso(memberships)) throw badToken()
    const [membership] = memberships
    const chosen = input.newPassword ?? input.password ?? ''
    await requireStrongPassword(chosen, [account.email, account.name])
    const passwordHash = await passwordsOf(services).hash(chosen)
    const place = { partnerId: membership?.partnerId ?? null, orgId: membership?.orgId ?? null }
    await call.write(async (db) => {
      const redeemed = await redeemToken(db, services, 'reset-password', input.token)
      if (redeemed === undefined) throw badToken()
      // The link also proves the mailbox, unless an administrator was shown it.
      const proving = { userId: account.id, by: 'reset', place } as const
      const dropped = redeemed.handed ? await vouch(db, services, account.id) : await proveMailbox(call, db, proving)
      await db
        .updateTable('users')
        .set({ passwordHash, passwordChangedAt: new Date(services.clock.now()).toISOString() })
        .where('id', '=', account.id)
        .execute()
      const sessions = dropped?.sessions ?? (await revokeSessions(db, account.id))
      const actor = { type: 'user', id: account.id, email: account.email } as const
      audit({
        action: 'auth.password.reset',
        target: account.id,
        name: account.email,
        ...place,
        details: { sessions },
        actor,
      })
      if (dropped !== null && !redeemed.handed) await admitWaitingPartners(call, db, account)
      await notice(db, services, account, place, 'password-changed')
    })
    clearRefreshCookie(call)
    afterCommit(() => callersOf(services).clear())
    afterCommit(() => limitsOf(services).giveBack('tokenPerAddress', origin))
    return { success: true as const }
  },

  async change(call) {
    const { services, caller, input, audit, afterCommit } = call
    await limitsOf(services).take('passwordPerUser', caller.userId)
    const account = await asSystem(services.system, (db) => findAccount(db, caller.userId))
    if (account === undefined) throw unauthenticated('Invalid or expired token')
    if (account.passwordHash === null) throw badRequest('This account signs in without a password')
    if (!(await passwordsOf(services).verify(account.passwordHash, input.currentPassword))) {
      throw badRequest('The current password is wrong')
    }
    await limitsOf(services).reset('passwordPerUser', caller.userId)
    if (input.newPassword === input.currentPassword) throw invalid('newPassword: must differ from the current password')
    await requireStrongPassword(input.newPassword, [account.email, account.name])
    const passwordHash = await passwordsOf(services).hash(input.newPassword)
    await call.write(async (db) => {
      const changed = await db
        .updateTable('users')
        .set({ passwordHash, passwordChangedAt: new Date(services.clock.now()).toISOString() })
        .where('id', '=', account.id)
        .where(passwordUnchanged(account))
        .returning('id')
        .executeTakeFirst()
      if (changed === undefined) throw badRequest('The current password is wrong')
      await withdrawTokens(db, 'reset-password', account.id)
      const sessions = await revokeSessions(db, account.id)
      audit({ target: account.id, name: account.email, details: { sessions } })
      await notice(db, services, account, caller, 'password-changed')
    })
    clearRefreshCookie(call)
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },
})

async function sendResetLink(call: Call, email: string): Promise<void> {
  const { services } = call
  // Beyond the limit of one mailbox no mail is sent, but the response stays the same, so that it reveals nothing.
  const isOverLimit = !(await limitsOf(services).tryTake('resetRequestPerEmail', email))
  const { account, memberships } = await asSystem(services.system, async (db) => {
    const account = await findAccountByEmail(db, email)
    return { account, memberships: account === undefined ? [] : await membershipsOf(db, account.id) }
  })
  if (isOverLimit || account?.status !== 'active' || requiresSso(memberships)) return
  // Accounts of identity providers have no password to reset. An account whose password the first proof removed does.
  if (account.passwordHash === null && account.emailVerifiedAt === null) return
  await enqueueResetMail(call, account, memberships[0])
}

async function enqueueResetMail(call: Call, account: Account, membership: Membership | undefined): Promise<void> {
  const { services, audit } = call
  const place = { partnerId: membership?.partnerId ?? null, orgId: membership?.orgId ?? null }
  await call.write(async (db) => {
    await mailResetLink(db, services, account, place)
    audit({ target: account.id, name: account.email, ...place })
  })
}
