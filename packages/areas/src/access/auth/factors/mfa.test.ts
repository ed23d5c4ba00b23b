import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { ownAddress, withPassword } from '@muster/testkit/credentials.ts'
import { mailsTo } from '@muster/testkit/mail.ts'
import { operatorRedis, testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { generateSync } from 'otplib'
import { describe, expect, it, vi } from 'vitest'
import { callersOf } from '../../../caller-cache.ts'
import { devSmsKey } from '../../../platform/sms/index.ts'
import { sites } from '../../../tenancy/tenancy/sites/sites.contract.ts'
import { session } from '../sign-in/session.contract.ts'
import { mfa } from './mfa.contract.ts'
import { phone } from './phone.contract.ts'

const here = await world()
const { system, redis, clock } = await testServices()
const operator = await operatorRedis()
const stepMs = 30_000
// The middle of a time step, so that no step ends between making and entering a code.
const now = Math.floor(Date.now() / stepMs) * stepMs + stepMs / 2
vi.spyOn(clock, 'now').mockReturnValue(now)

async function technician(role = 'Org Technician') {
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
  return withPassword(await person(tenant, { role, mfaEnabled: false }))
}
type Technician = Awaited<ReturnType<typeof technician>>

/** The code of a time step, relative to now. Codes work once, so tests that need several use adjacent steps. */
const codeAt = (secret: string, steps = 0) => generateSync({ secret, epoch: Math.floor((now + steps * stepMs) / 1000) })

const login = (who: Technician) =>
  call(null, session.login, { email: who.email, password: who.password }, { ip: ownAddress() })
async function signedIn(who: Technician) {
  const tokens = await login(who)
  if (tokens.mfaRequired) throw new Error('unexpected request for a second factor')
  return { ...who, token: tokens.accessToken }
}
async function challenged(who: Technician) {
  const answer = await login(who)
  if (!answer.mfaRequired) throw new Error('missing request for a second factor')
  return answer
}
/** A user with an authenticator app, enrolled with the code of the previous step, so that the current code is unused. */
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
  it('returns secret, URL, QR code and ten recovery codes, and completes with the right code', async () => {
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

  it('can be completed with /auth/mfa/verify as well', async () => {
    const who = await signedIn(await technician())
    const { secret, recoveryCodes } = await call(who, mfa.setup, {})
    expect(await call(who, mfa.verify, { code: codeAt(secret) })).toMatchObject({ mfaEnabled: true, recoveryCodes })
  })

  it('rejects a wrong code, and all codes after ten minutes', async () => {
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

  it('ends the other sessions, which were opened without the factor', async () => {
    const who = await technician()
    const other = await signedIn(who)
    const one = await signedIn(who)
    const { secret } = await call(one, mfa.setup, {})
    await call(one, mfa.enable, { code: codeAt(secret) })
    expect(await refusal(call(other, session.me, {}))).toMatchObject({ status: 401 })
    expect(await call(one, session.me, {})).toMatchObject({ mfaEnabled: true })
  })

  it('requires the password when the sign-in is too old', async () => {
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
  it('returns a tempToken for the password, and tokens with mfa for the code', async () => {
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

  it('accepts each code once, also in two simultaneous sign-ins', async () => {
    const who = await withTotp()
    const [one, two] = [await challenged(who), await challenged(who)]
    const code = codeAt(who.secret)
    const outcomes = await Promise.allSettled(
      [one, two].map(({ tempToken }) => call(null, mfa.verify, { code, tempToken })),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('accepts codes of the adjacent time steps and of no others', async () => {
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

  it('invalidates the tempToken with the fifth wrong code, and limits attempts per user', async () => {
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

  it('accepts a tempToken once, for five minutes, and not after a password change', async () => {
    const who = await withTotp()
    const { tempToken } = await challenged(who)
    const [key = ''] = await operator.keys('mfa:challenge:*').then(async (keys) => {
      const entries = await Promise.all(keys.map(async (name) => [name, await redis.get(name)] as const))
      return entries.filter(([, entry]) => entry?.includes(who.userId)).map(([name]) => name)
    })
    expect(await redis.ttl(key)).toBeGreaterThan(290)
    expect(await redis.ttl(key)).toBeLessThanOrEqual(300)
    await system.query('UPDATE users SET password_changed_at = now() WHERE id = $1', [who.userId])
    const error = { status: 401, message: 'Invalid or expired token' }
    expect(await refusal(call(null, mfa.verify, { code: codeAt(who.secret), tempToken }))).toMatchObject(error)
    const second = await challenged(who)
    await call(null, mfa.verify, { code: codeAt(who.secret), tempToken: second.tempToken })
    expect(
      await refusal(call(null, mfa.verify, { code: who.recoveryCodes[0], tempToken: second.tempToken })),
    ).toMatchObject(error)
  })

  it('rejects a tempToken as an access token', async () => {
    const { tempToken } = await challenged(await withTotp())
    expect(await refusal(call({ token: tempToken }, session.me, {}))).toMatchObject({ status: 401 })
    expect(await refusal(call({ token: tempToken }, sites.list, {}))).toMatchObject({ status: 401 })
  })
})

describe('disabling a second factor', () => {
  it('requires a current code and clears secret, phone number and recovery codes', async () => {
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

  it('returns 403 while the organization requires it', async () => {
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
  it('are all replaced by new codes', async () => {
    const who = await withTotp()
    const { recoveryCodes } = await call(who, mfa.recoveryCodes, {})
    expect(recoveryCodes).toHaveLength(10)
    const { tempToken } = await challenged(who)
    const old = { code: who.recoveryCodes[3], tempToken }
    expect(await refusal(call(null, mfa.verify, old))).toMatchObject({ status: 401 })
    await call(null, mfa.verify, { code: recoveryCodes[3], tempToken })
    expect((await auditOf(who.userId)).map(({ action }) => action)).toContain('auth.mfa.recovery_codes.rotate')
  })

  it('require a second factor', async () => {
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
  ] as const)(
    'answers 428 to %s until an authenticator is enrolled, except in the operations that enroll',
    async (role, tenant) => {
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
    },
  )

  it('is not satisfied by SMS codes or by a session that has not passed the factor', async () => {
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

describe('SMS codes', () => {
  it('are enabled after the phone is confirmed, and complete a sign-in', async () => {
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

  it('require a confirmed phone', async () => {
    const who = await signedIn(await technician())
    expect(await refusal(call(who, mfa.enableSms, {}))).toMatchObject({
      status: 400,
      message: 'Confirm your phone number first',
    })
    await call(who, phone.verify, { phoneNumber: newNumber() })
    expect(await refusal(call(who, phone.confirm, { code: '000000' }))).toMatchObject({ status: 400 })
  })

  it('are rejected where the organization does not allow them', async () => {
    const strict = await world()
    const tenant = { scope: 'organization', partnerId: strict.partner.id, orgId: strict.org.id } as const
    const who = await signedIn(await withPassword(await person(tenant, { role: 'Org Viewer', mfaEnabled: false })))
    const phoneNumber = newNumber()
    await call(who, phone.verify, { phoneNumber })
    await call(who, phone.confirm, { code: await smsTo(phoneNumber) })
    const forbid = `UPDATE organizations SET settings = '{"security":{"allowedMfaMethods":{"sms":false}}}' WHERE id = $1`
    await system.query(forbid, [strict.org.id])
    const error = { status: 403, message: 'Your organization does not allow SMS MFA' }
    expect(await refusal(call(who, mfa.enableSms, {}))).toMatchObject(error)
    await system.query(`UPDATE users SET mfa_enabled = true, mfa_method = 'sms' WHERE id = $1`, [who.userId])
    const { tempToken } = await challenged(who)
    expect(await refusal(call(null, mfa.sendSms, { tempToken }))).toMatchObject(error)
  })

  it('are limited to three for each tempToken and each phone, and confirmations to three per user', async () => {
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

  it('are disabled with a code sent to the phone', async () => {
    const who = await withSms()
    await call(who, phone.verify, { phoneNumber: who.phoneNumber })
    await call(who, mfa.disable, { code: await smsTo(who.phoneNumber) })
    expect(await call(who, session.me, {})).toMatchObject({
      mfaEnabled: false,
      phoneNumber: null,
      phoneVerified: false,
    })
  })

  it('are not sent for a sign-in whose factor is an app', async () => {
    const { tempToken } = await challenged(await withTotp())
    expect(await refusal(call(null, mfa.sendSms, { tempToken }))).toMatchObject({ status: 400 })
    expect(await refusal(call(null, mfa.sendSms, { tempToken: 'made-up' }))).toMatchObject({ status: 401 })
  })
})
