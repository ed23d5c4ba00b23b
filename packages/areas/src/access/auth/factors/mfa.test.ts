import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { ownAddress, withPassword } from '@muster/testkit/credentials.ts'
import { mailsTo } from '@muster/testkit/mail.ts'
import { operatorRedis, testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { generateSync } from 'otplib'
import { describe, expect, it, vi } from 'vitest'
import { callersOf } from '../../../caller-cache.ts'
import { sites } from '../../../tenancy/tenancy/sites/sites.contract.ts'
import { session } from '../sign-in/session.contract.ts'
import { devSmsKey } from '../sms.ts'
import { mfa } from './mfa.contract.ts'
import { phone } from './phone.contract.ts'

const here = await world()
const { system, redis, clock } = await testServices()
const operator = await operatorRedis()
const stepMs = 30_000
// In the middle of a time step, so that no step ends between making a code and giving it.
const now = Math.floor(Date.now() / stepMs) * stepMs + stepMs / 2
vi.spyOn(clock, 'now').mockReturnValue(now)

async function technician(role = 'Org Technician') {
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
  return withPassword(await person(tenant, { role, mfaEnabled: false }))
}
type Somebody = Awaited<ReturnType<typeof technician>>

/** The code of a moment, steps away from now. Codes work once, so tests that need several take neighbours. */
const codeAt = (secret: string, steps = 0) => generateSync({ secret, epoch: Math.floor((now + steps * stepMs) / 1000) })

const login = (who: Somebody) =>
  call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })
async function signedIn(who: Somebody) {
  const tokens = await login(who)
  if (tokens.mfaRequired) throw new Error('a second factor was asked for')
  return { ...who, token: tokens.accessToken }
}
async function challenged(who: Somebody) {
  const answer = await login(who)
  if (!answer.mfaRequired) throw new Error('no second factor was asked for')
  return answer
}
/** Somebody with an authenticator app, enrolled with the code of one step ago, so that the present one is still good. */
async function withTotp(role?: string) {
  const who = await signedIn(await technician(role))
  const { secret, recoveryCodes } = await call(who, mfa.setup, {})
  await call(who, mfa.enable, { code: codeAt(secret, -1) })
  return { ...who, secret, recoveryCodes }
}
const newNumber = () => `+4930${Math.floor(1e7 + Math.random() * 8e7)}`
async function smsTo(number: string): Promise<string> {
  const kept = (await redis.lrange(devSmsKey, 0, -1)).map((entry) => JSON.parse(entry))
  return /\d{6}/.exec(kept.find(({ to }) => to === number)?.text ?? '')?.[0] ?? ''
}
async function withSms() {
  const who = await signedIn(await technician())
  const phoneNumber = newNumber()
  await call(who, phone.verify, { phoneNumber })
  await call(who, phone.confirm, { code: await smsTo(phoneNumber) })
  const { recoveryCodes } = await call(who, mfa.enableSms, {})
  return { ...who, phoneNumber, recoveryCodes }
}

describe('enrolling an authenticator', () => {
  it('gives secret, address, picture and ten recovery codes, and enables with the right code', async () => {
    const who = await signedIn(await technician())
    const setup = await call(who, mfa.setup, {})
    expect(setup.otpAuthUrl).toContain(`secret=${setup.secret}`)
    expect(setup.qrCodeDataUrl).toMatch(/^data:image\/png;base64,/)
    expect(setup.recoveryCodes).toHaveLength(10)
    for (const code of setup.recoveryCodes) expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    expect(await call(who, session.me, {})).toMatchObject({ mfaEnabled: false })
    const done = await call(who, mfa.enable, { code: codeAt(setup.secret) })
    expect(done).toMatchObject({ mfaEnabled: true, recoveryCodes: setup.recoveryCodes })
    expect(await call(who, session.me, {})).toMatchObject({
      mfaEnabled: true,
      mfaMethod: 'totp',
      recoveryCodesLeft: 10,
    })
    const { rows } = await system.query('SELECT mfa_secret, mfa_recovery_codes FROM users WHERE id = $1', [who.userId])
    const stored = JSON.stringify(rows[0])
    for (const secret of [setup.secret, ...setup.recoveryCodes]) expect(stored).not.toContain(secret)
    expect((await auditOf(who.userId)).at(-1)).toMatchObject({ action: 'auth.mfa.setup', actor_id: who.userId })
    expect((await mailsTo(who.email)).at(-1)).toMatchObject({ template: 'notice' })
  })

  it('is confirmed by /auth/mfa/verify as well', async () => {
    const who = await signedIn(await technician())
    const { secret, recoveryCodes } = await call(who, mfa.setup, {})
    expect(await call(who, mfa.verify, { code: codeAt(secret) })).toMatchObject({ mfaEnabled: true, recoveryCodes })
  })

  it('refuses a wrong code, and any code after ten minutes', async () => {
    const who = await signedIn(await technician())
    const { secret } = await call(who, mfa.setup, {})
    expect(await refusal(call(who, mfa.enable, { code: '000000' }))).toMatchObject({
      status: 400,
      message: 'Invalid verification code',
    })
    expect(await redis.ttl(`mfa:pending:${who.userId}`)).toBeGreaterThan(590)
    await redis.del(`mfa:pending:${who.userId}`)
    expect(await refusal(call(who, mfa.enable, { code: codeAt(secret) }))).toMatchObject({ status: 400 })
  })

  it('ends the other sessions, which never saw the factor', async () => {
    const who = await technician()
    const other = await signedIn(who)
    const one = await signedIn(who)
    const { secret } = await call(one, mfa.setup, {})
    await call(one, mfa.enable, { code: codeAt(secret) })
    expect(await refusal(call(other, session.me, {}))).toMatchObject({ status: 401 })
    expect(await call(one, session.me, {})).toMatchObject({ mfaEnabled: true })
  })

  it('takes the password when the sign-in is too long ago', async () => {
    const who = await signedIn(await technician())
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '31 minutes' WHERE user_id = $1`, [
      who.userId,
    ])
    expect(await refusal(call(who, mfa.setup, {}))).toMatchObject({
      status: 403,
      extra: { confirm: 'currentPassword' },
    })
    expect(await refusal(call(who, mfa.setup, { currentPassword: 'wrong' }))).toMatchObject({ status: 403 })
    expect(await call(who, mfa.setup, { currentPassword: who.password })).toHaveProperty('secret')
  })
})

describe('signing in with a second factor', () => {
  it('answers the password with a tempToken and no tokens, and the code with tokens that say mfa', async () => {
    const who = await withTotp()
    const first = await challenged(who)
    expect(first).toMatchObject({ mfaRequired: true, expiresIn: 300, methods: ['totp', 'recovery'] })
    expect(first).not.toHaveProperty('accessToken')
    const tokens = await call(null, mfa.verify, { code: codeAt(who.secret), tempToken: first.tempToken })
    if (!('refreshToken' in tokens)) throw new Error('no tokens')
    const claims = JSON.parse(Buffer.from(tokens.accessToken.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ mfa: true, scope: 'organization', partner: here.partner.id, org: here.org.id })
    const next = await call(null, session.refresh, { refreshToken: tokens.refreshToken })
    const claimsNext = JSON.parse(Buffer.from(next.accessToken.split('.')[1] ?? '', 'base64url').toString())
    expect(claimsNext).toMatchObject({ mfa: true })
  })

  it('accepts each code once, also when two sign-ins give it at the same time', async () => {
    const who = await withTotp()
    const [one, two] = [await challenged(who), await challenged(who)]
    const code = codeAt(who.secret)
    const outcomes = await Promise.allSettled(
      [one, two].map(({ tempToken }) => call(null, mfa.verify, { code, tempToken })),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('accepts the neighbouring steps and no others', async () => {
    for (const [steps, good] of [
      [-2, false],
      [2, false],
      [1, true],
    ] as const) {
      const who = await withTotp()
      const { tempToken } = await challenged(who)
      const outcome = await Promise.allSettled([call(null, mfa.verify, { code: codeAt(who.secret, steps), tempToken })])
      expect([steps, outcome[0]?.status === 'fulfilled']).toEqual([steps, good])
    }
  })

  it('accepts each recovery code once, in any spelling, also in parallel', async () => {
    const who = await withTotp()
    const [first = '', second = ''] = who.recoveryCodes
    const one = await challenged(who)
    await call(null, mfa.verify, { code: first.toLowerCase().replace('-', ' '), tempToken: one.tempToken })
    const two = await challenged(who)
    expect(await refusal(call(null, mfa.verify, { code: first, tempToken: two.tempToken }))).toMatchObject({
      status: 401,
      message: 'Invalid verification code',
    })
    const [three, four] = [await challenged(who), await challenged(who)]
    const outcomes = await Promise.allSettled(
      [three, four].map(({ tempToken }) => call(null, mfa.verify, { code: second, tempToken })),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('ends the tempToken with the fifth wrong code, and limits tries per person', async () => {
    const who = await withTotp()
    const { tempToken } = await challenged(who)
    const wrong = { code: '000000', tempToken }
    for (let n = 0; n < 5; n++) expect(await refusal(call(null, mfa.verify, wrong))).toMatchObject({ status: 401 })
    expect(await refusal(call(null, mfa.verify, { code: codeAt(who.secret), tempToken }))).toMatchObject({
      status: 401,
      message: 'Invalid or expired token',
    })
    const fresh = await challenged(who)
    expect(
      await refusal(call(null, mfa.verify, { code: codeAt(who.secret), tempToken: fresh.tempToken })),
    ).toMatchObject({ status: 429, extra: { retryAfter: expect.any(Number) } })
  })

  it('uses a tempToken once, for five minutes, and not after a change of password', async () => {
    const who = await withTotp()
    const { tempToken } = await challenged(who)
    const [key = ''] = await operator.keys('mfa:challenge:*').then(async (keys) => {
      const entries = await Promise.all(keys.map(async (name) => [name, await redis.get(name)] as const))
      return entries.filter(([, entry]) => entry?.includes(who.userId)).map(([name]) => name)
    })
    expect(await redis.ttl(key)).toBeGreaterThan(290)
    expect(await redis.ttl(key)).toBeLessThanOrEqual(300)
    await system.query('UPDATE users SET password_changed_at = now() WHERE id = $1', [who.userId])
    const told = { status: 401, message: 'Invalid or expired token' }
    expect(await refusal(call(null, mfa.verify, { code: codeAt(who.secret), tempToken }))).toMatchObject(told)
    const second = await challenged(who)
    await call(null, mfa.verify, { code: codeAt(who.secret), tempToken: second.tempToken })
    expect(
      await refusal(call(null, mfa.verify, { code: who.recoveryCodes[0], tempToken: second.tempToken })),
    ).toMatchObject(told)
  })

  it('takes a tempToken nowhere as an access token', async () => {
    const { tempToken } = await challenged(await withTotp())
    expect(await refusal(call({ token: tempToken }, session.me, {}))).toMatchObject({ status: 401 })
    expect(await refusal(call({ token: tempToken }, sites.list, {}))).toMatchObject({ status: 401 })
  })
})

describe('turning it off', () => {
  it('takes a current code and clears secret, phone number and recovery codes', async () => {
    const who = await withTotp()
    expect(await refusal(call(who, mfa.disable, { code: '000000' }))).toMatchObject({ status: 400 })
    expect(await call(who, mfa.disable, { code: codeAt(who.secret) })).toEqual({ success: true })
    const { rows } = await system.query(
      'SELECT mfa_enabled, mfa_method, mfa_secret, mfa_recovery_codes, phone_number FROM users WHERE id = $1',
      [who.userId],
    )
    expect(rows).toEqual([
      { mfa_enabled: false, mfa_method: null, mfa_secret: null, mfa_recovery_codes: [], phone_number: null },
    ])
    expect((await auditOf(who.userId)).at(-1)).toMatchObject({ action: 'auth.mfa.disable' })
    await signedIn(who)
  })

  it('is refused with 403 while the organisation requires it', async () => {
    const strict = await world()
    await system.query(`UPDATE organizations SET settings = '{"security":{"requireMfa":true}}' WHERE id = $1`, [
      strict.org.id,
    ])
    const tenant = { scope: 'organization', partnerId: strict.partner.id, orgId: strict.org.id } as const
    const who = await signedIn(await withPassword(await person(tenant, { role: 'Org Viewer', mfaEnabled: false })))
    expect(await refusal(call(who, sites.list, {}))).toMatchObject({
      status: 428,
      code: 'MFA_REQUIRED',
      message: 'Your organization requires multi-factor authentication. Enroll an authenticator first',
    })
    const { secret } = await call(who, mfa.setup, {})
    await call(who, mfa.enable, { code: codeAt(secret, -1) })
    await call(who, sites.list, {})
    expect(await refusal(call(who, mfa.disable, { code: codeAt(secret) }))).toMatchObject({ status: 403 })
  })
})

describe('recovery codes', () => {
  it('are all replaced by new ones', async () => {
    const who = await withTotp()
    const { recoveryCodes } = await call(who, mfa.recoveryCodes, {})
    expect(recoveryCodes).toHaveLength(10)
    const { tempToken } = await challenged(who)
    const old = { code: who.recoveryCodes[3], tempToken }
    expect(await refusal(call(null, mfa.verify, old))).toMatchObject({ status: 401 })
    await call(null, mfa.verify, { code: recoveryCodes[3], tempToken })
    expect((await auditOf(who.userId)).map(({ action }) => action)).toContain('auth.mfa.recovery_codes.rotate')
  })

  it('need a second factor to be there', async () => {
    const who = await signedIn(await technician())
    expect(await refusal(call(who, mfa.recoveryCodes, {}))).toMatchObject({ status: 400 })
  })
})

describe('forced MFA', () => {
  const { partner, org } = here
  it.each([
    ['System Admin', { scope: 'system' }],
    ['Partner Admin', { scope: 'partner', partnerId: partner.id }],
    ['Org Admin', { scope: 'organization', partnerId: partner.id, orgId: org.id }],
  ] as const)('answers %s 428 until an authenticator is enrolled, but where one enrolls', async (role, tenant) => {
    const admin = await withPassword(await person(tenant, { role, mfaEnabled: false }))
    const tokens = await login(admin)
    if (tokens.mfaRequired) throw new Error('unexpected')
    expect(tokens.mfaEnrollmentRequired).toBe(true)
    const who = { token: tokens.accessToken }
    expect(await refusal(call(who, sites.list, {}))).toMatchObject({ status: 428, code: 'MFA_REQUIRED' })
    expect(await call(who, session.me, {})).toMatchObject({ mfaEnrollmentRequired: true })
    const { secret } = await call(who, mfa.setup, {})
    await call(who, mfa.enable, { code: codeAt(secret) })
    await call(who, sites.list, {})
  })

  it('is not satisfied by codes to a phone, nor by a session that has not passed the factor', async () => {
    const admin = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    await call(admin, sites.list, {})
    await system.query(`UPDATE users SET mfa_method = 'sms' WHERE id = $1`, [admin.userId])
    const services = await testServices()
    const callers = callersOf(services)
    await callers.clear()
    expect(await refusal(call(admin, sites.list, {}))).toMatchObject({ status: 428 })
    const other = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    await system.query('UPDATE sessions SET mfa = false WHERE user_id = $1', [other.userId])
    expect(await refusal(call(other, sites.list, {}))).toMatchObject({ status: 428 })
  })
})

describe('codes by SMS', () => {
  it('are enabled after the phone is confirmed, and end a sign-in', async () => {
    const who = await withSms()
    expect(await call(who, session.me, {})).toMatchObject({ mfaMethod: 'sms', phoneVerified: true })
    const { tempToken, methods, phoneEnding } = await challenged(who)
    expect(methods).toEqual(['sms', 'recovery'])
    expect(who.phoneNumber).toMatch(new RegExp(`${phoneEnding}$`))
    await call(null, mfa.sendSms, { tempToken })
    const code = await smsTo(who.phoneNumber)
    expect(await call(null, mfa.verify, { code, tempToken })).toMatchObject({ mfaRequired: false })
    const second = await challenged(who)
    expect(await refusal(call(null, mfa.verify, { code, tempToken: second.tempToken }))).toMatchObject({ status: 401 })
  })

  it('need a confirmed phone', async () => {
    const who = await signedIn(await technician())
    expect(await refusal(call(who, mfa.enableSms, {}))).toMatchObject({
      status: 400,
      message: 'Confirm your phone number first',
    })
    await call(who, phone.verify, { phoneNumber: newNumber() })
    expect(await refusal(call(who, phone.confirm, { code: '000000' }))).toMatchObject({ status: 400 })
  })

  it('are refused where the organisation does not allow them', async () => {
    const strict = await world()
    const tenant = { scope: 'organization', partnerId: strict.partner.id, orgId: strict.org.id } as const
    const who = await signedIn(await withPassword(await person(tenant, { role: 'Org Viewer', mfaEnabled: false })))
    const phoneNumber = newNumber()
    await call(who, phone.verify, { phoneNumber })
    await call(who, phone.confirm, { code: await smsTo(phoneNumber) })
    const forbid = `UPDATE organizations SET settings = '{"security":{"allowedMfaMethods":{"sms":false}}}' WHERE id = $1`
    await system.query(forbid, [strict.org.id])
    const told = { status: 403, message: 'Your organization does not allow SMS MFA' }
    expect(await refusal(call(who, mfa.enableSms, {}))).toMatchObject(told)
    await system.query(`UPDATE users SET mfa_enabled = true, mfa_method = 'sms' WHERE id = $1`, [who.userId])
    const { tempToken } = await challenged(who)
    expect(await refusal(call(null, mfa.sendSms, { tempToken }))).toMatchObject(told)
  })

  it('are limited to three for each tempToken and each phone, and confirmations to three per person', async () => {
    const who = await withSms()
    const { tempToken } = await challenged(who)
    for (let n = 0; n < 3; n++) await call(null, mfa.sendSms, { tempToken })
    expect(await refusal(call(null, mfa.sendSms, { tempToken }))).toMatchObject({ status: 429 })
    const second = await challenged(who)
    expect(await refusal(call(null, mfa.sendSms, { tempToken: second.tempToken }))).toMatchObject({ status: 429 })
    const other = await signedIn(await technician())
    for (let n = 0; n < 3; n++) await call(other, phone.verify, { phoneNumber: newNumber() })
    expect(await refusal(call(other, phone.verify, { phoneNumber: newNumber() }))).toMatchObject({ status: 429 })
  })

  it('turn off with a code sent to the phone', async () => {
    const who = await withSms()
    await call(who, phone.verify, { phoneNumber: who.phoneNumber })
    await call(who, mfa.disable, { code: await smsTo(who.phoneNumber) })
    expect(await call(who, session.me, {})).toMatchObject({
      mfaEnabled: false,
      phoneNumber: null,
      phoneVerified: false,
    })
  })

  it('are not sent to a sign-in whose factor is an app', async () => {
    const { tempToken } = await challenged(await withTotp())
    expect(await refusal(call(null, mfa.sendSms, { tempToken }))).toMatchObject({ status: 400 })
    expect(await refusal(call(null, mfa.sendSms, { tempToken: 'made-up' }))).toMatchObject({ status: 401 })
  })
})
