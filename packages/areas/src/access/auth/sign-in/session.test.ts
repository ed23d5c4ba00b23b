import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { browser, newPassword, ownAddress, withPassword } from '@muster/testkit/credentials.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { passwordsOf } from '../passwords/passwords.ts'
import { session } from './session.contract.ts'

const here = await world()
const services = await testServices()
const { system } = services
const passwords = passwordsOf(services)
const refused = { status: 401, code: 'UNAUTHENTICATED', message: 'Invalid email or password' }

async function technician() {
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
  return withPassword(await person(tenant, { role: 'Org Technician', mfaEnabled: false }))
}
async function signedIn(who: { email: string; password: string }, options: { ip?: string } = {}) {
  const tokens = await call(
    null,
    session.login,
    { email: who.email, password: who.password },
    { ip: options.ip ?? ownAddress() },
  )
  if (tokens.mfaRequired) throw new Error('unexpected request for a second factor')
  return { ...who, ...tokens, token: tokens.accessToken }
}
const refresh = (refreshToken: string) => call(null, session.refresh, { refreshToken }, { ip: ownAddress() })

describe('login', () => {
  it('returns tokens of the membership and sets the refresh cookie', async () => {
    const who = await technician()
    const { cookies, reply } = browser()
    const answer = await call(
      null,
      session.login,
      { email: ` ${who.email.toUpperCase()}`, password: who.password },
      { ip: ownAddress(), reply },
    )
    expect(answer).toMatchObject({
      mfaRequired: false,
      mfaEnrollmentRequired: false,
      expiresIn: 900,
      user: { id: who.userId, scope: 'organization', partnerId: here.partner.id, orgId: here.org.id },
    })
    if (answer.mfaRequired) return
    expect(cookies.service_refresh_token).toBe(answer.refreshToken)
    const me = await call({ token: answer.accessToken }, session.me, {})
    expect(me).toMatchObject({ id: who.userId, email: who.email, mfaEnabled: false, mfaEnrollmentRequired: false })
    expect(await auditOf(who.userId)).toMatchObject([
      { action: 'user.login', actor_id: who.userId, org_id: here.org.id, details: { method: 'password', mfa: false } },
    ])
  })

  it('returns the same error for a wrong password, an unknown email, a disabled and an invited account', async () => {
    const who = await technician()
    const disabled = await technician()
    const invited = await technician()
    await system.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [disabled.userId])
    await system.query(`UPDATE users SET status = 'invited' WHERE id = $1`, [invited.userId])
    for (const input of [
      { email: who.email, password: newPassword() },
      { email: `unknown-${who.email}`, password: who.password },
      { email: disabled.email, password: disabled.password },
      { email: invited.email, password: invited.password },
    ]) {
      expect(await refusal(call(null, session.login, input, { ip: ownAddress() }))).toMatchObject(refused)
    }
  })

  it('audits failed attempts under the partner of the account', async () => {
    const who = await technician()
    await refusal(call(null, session.login, { email: who.email, password: 'wrong' }, { ip: ownAddress() }))
    expect(await auditOf(who.userId)).toMatchObject([
      { action: 'user.login.failed', result: 'failure', actor_id: null, partner_id: here.partner.id },
    ])
  })

  it('is rejected for a user without any membership', async () => {
    const who = await technician()
    await system.query('DELETE FROM organization_users WHERE user_id = $1', [who.userId])
    expect(
      await refusal(call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })),
    ).toMatchObject({
      status: 403,
      message: 'Partner or organization context',
    })
  })

  it('hashes a password again when its hash has outdated parameters', async () => {
    const who = await technician()
    const { hash } = await import('@node-rs/argon2')
    const old = await hash(who.password, { memoryCost: 4_096, timeCost: 1 })
    await system.query('UPDATE users SET password_hash = $2 WHERE id = $1', [who.userId, old])
    await signedIn(who)
    const { rows } = await system.query('SELECT password_hash FROM users WHERE id = $1', [who.userId])
    expect(passwords.isOutdated(rows[0].password_hash)).toBe(false)
    await signedIn(who)
  })

  it('holds no database connection while it hashes', async () => {
    const who = await technician()
    const busy = new Set<number>()
    const verify = passwords.verify.bind(passwords)
    passwords.verify = async (...given) => {
      busy.add(system.totalCount - system.idleCount)
      return verify(...given)
    }
    await signedIn(who)
    passwords.verify = verify
    expect([...busy]).toEqual([0])
  })
})

describe('limits of login', () => {
  it('allow five failures per email and address, then 429 with retryAfter for any password', async () => {
    const who = await technician()
    const ip = ownAddress()
    for (let n = 0; n < 5; n++) {
      expect(await refusal(call(null, session.login, { email: who.email, password: 'wrong' }, { ip }))).toMatchObject(
        refused,
      )
    }
    const error = await refusal(call(null, session.login, { email: who.email, password: who.password }, { ip }))
    expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED', extra: { retryAfter: expect.any(Number) } })
    await signedIn(who)
  })

  it('count only failures', async () => {
    const who = await technician()
    const ip = ownAddress()
    for (let n = 0; n < 8; n++) await signedIn(who, { ip })
  })
})

describe('refresh', () => {
  it('exchanges a token for its successor, once', async () => {
    const who = await signedIn(await technician())
    const next = await refresh(who.refreshToken)
    expect(next.refreshToken).not.toBe(who.refreshToken)
    expect(await call({ token: next.accessToken }, session.me, {})).toMatchObject({ email: who.email })
  })

  it('ends the session and audits it when a used token is presented again later', async () => {
    const who = await signedIn(await technician())
    const second = await refresh(who.refreshToken)
    const third = await refresh(second.refreshToken)
    expect(await refusal(refresh(who.refreshToken))).toMatchObject({ status: 401 })
    expect(await refusal(refresh(third.refreshToken))).toMatchObject({ status: 401 })
    expect(await refusal(call({ token: third.accessToken }, session.me, {}))).toMatchObject({ status: 401 })
    const { rows } = await system.query('SELECT id FROM sessions WHERE user_id = $1 AND revoked_at IS NOT NULL', [
      who.user.id,
    ])
    expect(await auditOf(rows[0].id)).toMatchObject([{ action: 'auth.refresh.reuse', result: 'denied' }])
  })

  it('returns the same successor to two windows within ten seconds', async () => {
    const who = await signedIn(await technician())
    const [one, two] = await Promise.all([refresh(who.refreshToken), refresh(who.refreshToken)])
    expect(one.refreshToken).toBe(two.refreshToken)
    await system.query(
      `UPDATE used_refresh_tokens SET used_at = used_at - interval '11 seconds'
      WHERE session_id IN (SELECT id FROM sessions WHERE user_id = $1)`,
      [who.user.id],
    )
    expect(await refusal(refresh(who.refreshToken))).toMatchObject({ status: 401 })
    expect(await refusal(refresh(one.refreshToken))).toMatchObject({ status: 401 })
  })

  it('ends with the session, and after a week without use', async () => {
    const idle = await signedIn(await technician())
    await system.query(`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE user_id = $1`, [
      idle.user.id,
    ])
    expect(await refusal(refresh(idle.refreshToken))).toMatchObject({ status: 401 })
    const old = await signedIn(await technician())
    await system.query(`UPDATE sessions SET ends_at = now() + interval '1 hour' WHERE user_id = $1`, [old.user.id])
    await refresh(old.refreshToken)
    const { rows } = await system.query(
      `SELECT ends_at - expires_at < '1 second' AS capped FROM sessions WHERE user_id = $1 AND scope IS NOT NULL`,
      [old.user.id],
    )
    expect(rows).toEqual([{ capped: true }])
  })

  it('ends with the membership, the account or the partner', async () => {
    for (const end of [
      'DELETE FROM organization_users WHERE user_id = $1',
      `UPDATE users SET status = 'disabled' WHERE id = $1`,
    ]) {
      const who = await signedIn(await technician())
      await system.query(end, [who.user.id])
      expect(await refusal(refresh(who.refreshToken))).toMatchObject({ status: 401 })
    }
  })

  it('rejects a string that never was a refresh token', async () => {
    expect(await refusal(refresh('made-up'))).toMatchObject({
      status: 401,
      message: 'Invalid or expired refresh token',
    })
    expect(await refusal(call(null, session.refresh, {}))).toMatchObject({ status: 401, message: 'No refresh token' })
  })

  it('accepts the token of the cookie only with the header x-service-csrf', async () => {
    const who = await technician()
    const { cookies, reply } = browser()
    await call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress(), reply })
    expect(await refusal(call(null, session.refresh, {}, { cookies }))).toMatchObject({ status: 403 })
    const headers = { 'x-service-csrf': '1' }
    const next = await call(null, session.refresh, {}, { cookies, headers, reply })
    expect(cookies.service_refresh_token).toBe(next.refreshToken)
  })
})

describe('logout', () => {
  it('ends only the session of the request when everywhere is false', async () => {
    const who = await technician()
    const [here, elsewhere] = [await signedIn(who), await signedIn(who)]
    await call({ token: here.accessToken }, session.logout, { everywhere: false })
    expect(await refusal(call({ token: here.accessToken }, session.me, {}))).toMatchObject({ status: 401 })
    expect(await call({ token: elsewhere.accessToken }, session.me, {})).toMatchObject({ email: who.email })
  })

  it('ends all sessions of the user, clears the cookie and writes an audit record', async () => {
    const who = await technician()
    const { cookies, reply } = browser()
    const first = await signedIn(who)
    const second = await call(
      null,
      session.login,
      { email: who.email, password: who.password },
      { ip: ownAddress(), reply },
    )
    if (second.mfaRequired) throw new Error('unexpected')
    expect(await call({ token: second.accessToken }, session.logout, {}, { reply })).toEqual({ success: true })
    expect(cookies).toEqual({})
    for (const token of [first.accessToken, second.accessToken]) {
      expect(await refusal(call({ token }, session.me, {}))).toMatchObject({ status: 401 })
    }
    expect(await refusal(refresh(first.refreshToken))).toMatchObject({ status: 401 })
    const actions = (await auditOf(who.userId)).map(({ action }) => action)
    expect(actions).toEqual(['user.login', 'user.login', 'user.logout'])
  })
})
