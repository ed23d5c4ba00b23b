import { asSystem } from '@muster/db/database.ts'
import { denied, emailNotVerified, notFound } from '@muster/kit/errors.ts'
import { callersOf } from '../../../caller-cache.ts'
import { implement } from '../../../operation.ts'
import { ownAccount } from '../factors/step-up.ts'
import { ssoRequired } from '../sign-in/enforced-sso.ts'
import { givesAccess, missingMfa } from '../sign-in/sign-in.ts'
import { membershipIn, membershipsOf } from './memberships.queries.ts'
import { sessions as contract } from './sessions.contract.ts'
import { revokeOwnKeys, revokeSessions } from './sessions.queries.ts'
import { signedInAccount, signedInUser } from './signed-in-user.ts'
import { accessTokenSeconds, accessTokensOf } from './tokens.ts'

export default implement(contract, {
  async list({ caller, db, services }) {
    const now = new Date(services.clock.now()).toISOString()
    const rows = await db
      .selectFrom('sessions')
      .select(['id', 'method', 'mfa', 'ipAddress', 'userAgent', 'createdAt', 'authenticatedAt', 'lastUsedAt'])
      .select(['expiresAt', 'endsAt'])
      .where('userId', '=', caller.userId)
      .where('revokedAt', 'is', null)
      .where('expiresAt', '>', now)
      .where('endsAt', '>', now)
      .orderBy('lastUsedAt', 'desc')
      .execute()
    return { data: rows.map((row) => ({ ...row, current: row.id === caller.sessionId })) }
  },

  async revoke(call) {
    const { caller, input, audit, afterCommit, services } = call
    await ownAccount(call)
    await call.write(async (db) => {
      const ended = await db
        .updateTable('sessions')
        .set({ revokedAt: new Date(services.clock.now()).toISOString() })
        .where('id', '=', input.id)
        .where('userId', '=', caller.userId)
        .where('revokedAt', 'is', null)
        .returning(['ipAddress', 'userAgent'])
        .executeTakeFirst()
      if (ended === undefined) throw notFound('Session')
      audit({ target: caller.userId, name: caller.email, details: { session: input.id, ...ended } })
    })
    afterCommit(() => callersOf(services).clear())
    return { success: true as const }
  },

  async revokeOthers(call) {
    const { caller, input, audit, afterCommit, services } = call
    await ownAccount(call)
    const ended = await call.write(async (db) => {
      const sessions = await revokeSessions(db, caller.userId, caller.sessionId ?? undefined)
      const apiKeys = input.keepApiKeys ? 0 : await revokeOwnKeys(db, caller.userId)
      audit({ target: caller.userId, name: caller.email, details: { sessions, apiKeys } })
      return sessions
    })
    afterCommit(() => callersOf(services).clear())
    return { success: true as const, ended }
  },

  async confirm(call) {
    const { caller, services, audit } = call
    const { sessionId, userId, email } = signedInUser(caller)
    const { shown } = await call.stepUp()
    // A fresh session needed no proof, so its age does not change.
    if (shown.length === 0) return { success: true as const }
    const authenticatedAt = new Date(services.clock.now()).toISOString()
    await call.write(async (db) => {
      await db
        .updateTable('sessions')
        .set({
          ...(shown.includes('currentPassword') && { authenticatedAt }),
          ...(shown.includes('code') && { mfa: true }),
        })
        .where('id', '=', sessionId)
        .execute()
      audit({ target: userId, name: email, details: { shown: [...shown] } })
    })
    await callersOf(services).clear()
    return { success: true as const }
  },

  async memberships({ caller, services }) {
    return asSystem(services.system, async (db) => {
      const own = await membershipsOf(db, caller.userId)
      // A session of a provider must not reveal the other memberships of the user.
      const all = own.filter(({ orgId }) => (caller.providerId ?? null) === null || orgId === caller.orgId)
      const ids = (of: (membership: (typeof all)[number]) => string | null) => all.flatMap((each) => of(each) ?? [])
      const named = async (table: 'partners' | 'organizations' | 'roles', wanted: string[]) => {
        if (wanted.length === 0) return new Map<string, string>()
        const rows = await db.selectFrom(table).select(['id', 'name']).where('id', 'in', wanted).execute()
        return new Map(rows.map(({ id, name }) => [id, name]))
      }
      const partners = await named(
        'partners',
        ids(({ partnerId }) => partnerId),
      )
      const organizations = await named(
        'organizations',
        ids(({ orgId }) => orgId),
      )
      const roles = await named(
        'roles',
        ids(({ roleId }) => roleId),
      )
      const data = all.map(({ scope, partnerId, orgId, roleId }) => ({
        scope,
        partnerId,
        partnerName: partners.get(partnerId ?? '') ?? null,
        orgId,
        orgName: organizations.get(orgId ?? '') ?? null,
        roleName: roles.get(roleId) ?? '',
        current: scope === caller.scope && partnerId === caller.partnerId && orgId === caller.orgId,
      }))
      return { data }
    })
  },

  async switch(call) {
    const { caller, services, input, audit } = call
    const { sessionId, userId, email } = signedInUser(caller)
    const membership = await asSystem(services.system, (db) => membershipIn(db, userId, input))
    if (membership === undefined) throw notFound('Membership')
    const { account } = await signedInAccount(services, {
      userId,
      ...membership,
      providerId: caller.providerId ?? null,
    })
    if (!givesAccess(account, membership, caller.providerId ?? null)) throw emailNotVerified()
    // A session of a provider stays in the provider's organization. An enforced provider is the only way into its organization.
    if ((caller.providerId ?? null) !== null && membership.orgId !== caller.orgId) {
      throw denied('This session was opened by single sign-on of one organization. Sign in again to act elsewhere')
    }
    if (membership.ssoEnforced && (caller.providerId ?? null) === null) throw ssoRequired(membership)
    const { scope, partnerId, orgId } = membership
    const place = { scope, partnerId, orgId }
    await call.write(async (db) => {
      await db.updateTable('sessions').set(place).where('id', '=', sessionId).execute()
      audit({ target: userId, name: email, partnerId, orgId, details: { from: caller.orgId ?? caller.partnerId } })
    })
    const { mfa } = caller
    return {
      mfaEnrollmentRequired: missingMfa(services.settings.enable2fa, membership, account, mfa) !== null,
      accessToken: await accessTokensOf(services).sign({ userId, sessionId, ...place, mfa }),
      expiresIn: accessTokenSeconds,
      user: { id: userId, email, name: account.name, ...place },
    }
  },
})
