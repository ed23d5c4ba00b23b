import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { newPassword, ownAddress, withPassword } from '@muster/testkit/credentials.ts'
import { mailsTo, tokenMailedTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { requireStrongPassword } from '../passwords/strength.ts'
import { password } from './password.contract.ts'
import { session } from './session.contract.ts'

const here = await world()
const { system } = await testServices()

async function technician() {
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
  return withPassword(await person(tenant, { role: 'Org Technician', mfaEnabled: false }))
}
async function signIn(who: { email: string; password: string }) {
  const tokens = await call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })
  if (tokens.mfaRequired) throw new Error('unexpected request for a second factor')
  return tokens
}
const forgot = (email: string, ip = ownAddress()) => call(null, password.forgot, { email }, { ip })
const reset = (token: string, newPassword: string) =>
  call(null, password.reset, { token, newPassword }, { ip: ownAddress() })

describe('a forgotten password', () => {
  it('gets the same response whether or not the account exists', async () => {
    const who = await technician()
    const known = await forgot(who.email)
    expect(await forgot(`unknown-${who.email}`)).toEqual(known)
    expect((await mailsTo(who.email)).map(({ template }) => template)).toEqual(['reset-password'])
    expect(await auditOf(who.userId)).toMatchObject([{ action: 'auth.password.forgot', partner_id: here.partner.id }])
  })

  it('can be reset once with the link, which ends all sessions', async () => {
    const who = await technician()
    const tokens = await signIn(who)
    await forgot(who.email)
    const token = await tokenMailedTo(who.email)
    const fresh = newPassword()
    expect(await reset(token, fresh)).toEqual({ success: true })
    expect(await refusal(call({ token: tokens.accessToken }, session.me, {}))).toMatchObject({ status: 401 })
    expect(await refusal(call(null, session.refresh, { refreshToken: tokens.refreshToken }))).toMatchObject({
      status: 401,
    })
    expect(await refusal(reset(token, newPassword()))).toMatchObject({
      status: 400,
      message: 'Invalid or expired reset token',
    })
    expect(
      await refusal(call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })),
    ).toMatchObject({ status: 401 })
    await signIn({ ...who, password: fresh })
    expect((await mailsTo(who.email)).at(-1)).toMatchObject({ template: 'notice' })
  })

  it('cannot be reset with a link older than one hour, or with a replaced link', async () => {
    const who = await technician()
    await forgot(who.email)
    const first = await tokenMailedTo(who.email)
    await forgot(who.email)
    const second = await tokenMailedTo(who.email)
    expect(await refusal(reset(first, newPassword()))).toMatchObject({ status: 400 })
    const { rows } = await system.query(
      'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM one_time_tokens WHERE user_id = $1',
      [who.userId],
    )
    expect(rows[0].seconds).toBeGreaterThan(3595)
    expect(rows[0].seconds).toBeLessThanOrEqual(3600)
    await system.query(`UPDATE one_time_tokens SET expires_at = now() - interval '1 second' WHERE user_id = $1`, [
      who.userId,
    ])
    expect(await refusal(reset(second, newPassword()))).toMatchObject({ status: 400 })
  })

  it('can be reset under either field name, and two simultaneous uses of a link succeed once', async () => {
    const who = await technician()
    await forgot(who.email)
    const token = await tokenMailedTo(who.email)
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => call(null, password.reset, { token, password: newPassword() }, { ip: ownAddress() })),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('is limited to ten requests an hour per address, and silently to three mails per mailbox', async () => {
    const who = await technician()
    const ip = ownAddress()
    for (let n = 0; n < 10; n++) await forgot(n < 5 ? who.email : `unknown-${n}@example.test`, ip)
    expect(await refusal(forgot(who.email, ip))).toMatchObject({ status: 429 })
    expect(await mailsTo(who.email)).toHaveLength(3)
  })

  it('sends no mail to disabled and invited accounts', async () => {
    for (const status of ['disabled', 'invited']) {
      const who = await technician()
      await system.query('UPDATE users SET status = $2 WHERE id = $1', [who.userId, status])
      await forgot(who.email)
      expect(await mailsTo(who.email)).toEqual([])
    }
  })
})

describe('changing a password', () => {
  it('requires the current password and ends all sessions, including the current one', async () => {
    const who = await technician()
    const tokens = await signIn(who)
    const me = { token: tokens.accessToken }
    const fresh = newPassword()
    const wrong = { currentPassword: 'wrong', newPassword: fresh }
    expect(await refusal(call(me, password.change, wrong))).toMatchObject({
      status: 400,
      message: 'The current password is wrong',
    })
    const right = { currentPassword: who.password, newPassword: fresh }
    expect(await call(me, password.change, right)).toEqual({ success: true })
    expect(await refusal(call(me, session.me, {}))).toMatchObject({ status: 401 })
    expect(await refusal(call(null, session.refresh, { refreshToken: tokens.refreshToken }))).toMatchObject({
      status: 401,
    })
    await signIn({ ...who, password: fresh })
    const actions = (await auditOf(who.userId)).map(({ action }) => action)
    expect(actions).toEqual(['user.login', 'auth.password.change', 'user.login'])
  })

  it('invalidates an open reset link', async () => {
    const who = await technician()
    const tokens = await signIn(who)
    await forgot(who.email)
    const token = await tokenMailedTo(who.email)
    const input = { currentPassword: who.password, newPassword: newPassword() }
    await call({ token: tokens.accessToken }, password.change, input)
    expect(await refusal(reset(token, newPassword()))).toMatchObject({ status: 400 })
  })

  it('is limited to five wrong attempts', async () => {
    const who = await technician()
    const me = { token: (await signIn(who)).accessToken }
    const wrong = { currentPassword: 'wrong', newPassword: newPassword() }
    for (let n = 0; n < 5; n++) expect(await refusal(call(me, password.change, wrong))).toMatchObject({ status: 400 })
    const right = { ...wrong, currentPassword: who.password }
    expect(await refusal(call(me, password.change, right))).toMatchObject({ status: 429 })
  })
})

describe('the strength of a new password', () => {
  const refused = (text: string, hints: string[] = []) => refusal(requireStrongPassword(text, hints))

  it('requires at least eight characters', async () => {
    expect(await refused('kX9#mP2')).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect((await refused('kX9#mP2')).message).toContain('at least 8 characters')
  })

  it('rejects passwords that are easy to guess and says why', async () => {
    expect((await refused('password1')).message).toMatch(/^The password is too easy to guess\. .+/)
    for (const weak of ['12345678', 'qwertyuiop', 'Passw0rd!', 'aaaaaaaaaaaa', 'Muster123']) await refused(weak)
  })

  it('rejects passwords made of the name or the email address', async () => {
    await requireStrongPassword('GwendolineFitzgibbon', [])
    await refused('GwendolineFitzgibbon', ['gwendoline.fitzgibbon@example.test', 'Gwendoline Fitzgibbon'])
  })

  it('accepts long passphrases, spaces and any script', async () => {
    for (const good of ['correct horse battery staple', 'Überraschung im Käsekeller', '🦊🚲 zwölf Boxkämpfer']) {
      await requireStrongPassword(good)
    }
  })

  it('is checked outside of the event loop', async () => {
    const before = performance.eventLoopUtilization()
    await requireStrongPassword('p4$$w0rd(<{[cC4@aA'.repeat(12)).catch(() => undefined)
    expect(performance.eventLoopUtilization(before).active).toBeLessThan(50)
  })
})
