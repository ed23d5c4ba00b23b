import { randomBytes } from 'node:crypto'
import { call, refusal } from '@muster/testkit/call.ts'
import { newPassword, ownAddress } from '@muster/testkit/credentials.ts'
import { mailsTo, tokenMailedTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it, vi } from 'vitest'
import { callersOf } from '../../../caller-cache.ts'
import { rateLimits } from '../../auth/limits.ts'
import { passwordsOf } from '../../auth/passwords/passwords.ts'
import { password } from '../../auth/sign-in/password.contract.ts'
import { registration } from '../../auth/sign-in/registration.contract.ts'
import { session } from '../../auth/sign-in/session.contract.ts'
import { users } from '../users.contract.ts'
import { invitations } from './invitations.contract.ts'

const here = await world()
const services = await testServices()
const { system } = services
const anywhere = () => ({ ip: ownAddress() })
const newPerson = () => ({
  email: `${randomBytes(6).toString('hex')}@example.test`,
  name: 'Grace Brown',
  password: newPassword(),
})
type NewPerson = ReturnType<typeof newPerson>
const register = (person: NewPerson) => call(null, registration.register, person, anywhere())
const verify = (token: string, given?: string) =>
  call(null, registration.verifyEmail, { token, ...(given && { password: given }) }, anywhere())
const signIn = async ({ email, password: given }: Pick<NewPerson, 'email' | 'password'>) => {
  const tokens = await call(null, session.login, { email, password: given }, anywhere())
  if (tokens.mfaRequired) throw new Error('unexpected request for a second factor')
  return { ...tokens, token: tokens.accessToken }
}
const passwordOf = async ({ email }: NewPerson): Promise<string | null> =>
  (await system.query('SELECT password_hash FROM users WHERE email = $1', [email])).rows[0].password_hash
const viewer =
  (await call(here.partnerAdmin, users.roles, {})).data.find(({ name }) => name === 'Partner Viewer')?.id ?? ''

describe('a session of an unproven address', () => {
  it('can request the verification mail, be refreshed and be signed out, but nothing else', async () => {
    const person = newPerson()
    await register(person)
    const who = await signIn(person)
    expect(who).toMatchObject({ emailVerificationRequired: true, user: { partnerId: null, orgId: null } })
    const closed = { status: 403, code: 'EMAIL_NOT_VERIFIED' }
    expect(await refusal(call(who, session.me, {}))).toMatchObject(closed)
    expect(await call(who, registration.resendVerification, {})).toEqual({ success: true })
    const { refreshToken } = who
    const again = await call(null, session.refresh, { refreshToken }, anywhere())
    expect(again.emailVerificationRequired).toBe(true)
    expect(await call({ token: again.accessToken }, session.logout, {})).toEqual({ success: true })
    expect(await refusal(call({ token: again.accessToken }, session.logout, {}))).toMatchObject({ status: 401 })
  })
})

describe('verifying an address', () => {
  it('keeps the password when the password of the registration is given', async () => {
    const person = newPerson()
    await register(person)
    expect(await verify(await tokenMailedTo(person.email), person.password)).toEqual({
      success: true,
      passwordRequired: false,
    })
    expect(await passwordOf(person)).not.toBeNull()
  })

  it('fails with a wrong password, and the link still works', async () => {
    const person = newPerson()
    await register(person)
    const token = await tokenMailedTo(person.email)
    expect(await refusal(verify(token, newPassword()))).toMatchObject({ status: 400 })
    expect(await verify(token)).toEqual({ success: true, passwordRequired: true })
    expect(await passwordOf(person)).toBeNull()
  })

  it('without a password removes the old one, and a reset sets another', async () => {
    const person = newPerson()
    await register(person)
    await verify(await tokenMailedTo(person.email))
    await call(null, password.forgot, { email: person.email }, anywhere())
    const newOne = newPassword()
    await call(null, password.reset, { token: await tokenMailedTo(person.email), newPassword: newOne }, anywhere())
    expect(await refusal(signIn({ ...person, password: newOne }))).toMatchObject({
      message: 'Partner or organization context',
    })
  })

  it('leaves the password of the reset when both run at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const person = newPerson()
      await register(person)
      const verification = await tokenMailedTo(person.email)
      await call(null, password.forgot, { email: person.email }, anywhere())
      const reset = await tokenMailedTo(person.email)
      const newOne = newPassword()
      await Promise.allSettled([
        verify(verification, person.password),
        call(null, password.reset, { token: reset, newPassword: newOne }, anywhere()),
      ])
      expect(await passwordsOf(services).verify(await passwordOf(person), newOne)).toBe(true)
    }
  })
})

describe('links', () => {
  it('work only for the purpose that they were made for', async () => {
    const person = newPerson()
    await register(person)
    const verification = await tokenMailedTo(person.email)
    await call(null, password.forgot, { email: person.email }, anywhere())
    const reset = await tokenMailedTo(person.email)
    await call(here.partnerAdmin, invitations.invite, { email: person.email, name: 'Guest', roleId: viewer })
    const invitation = await tokenMailedTo(person.email)
    for (const token of [reset, invitation]) expect(await refusal(verify(token))).toMatchObject({ status: 400 })
    for (const token of [verification, invitation]) {
      const used = call(null, password.reset, { token, newPassword: newPassword() }, anywhere())
      expect(await refusal(used)).toMatchObject({ status: 400 })
    }
    for (const token of [verification, reset]) {
      const used = call(null, invitations.acceptInvite, { token, password: newPassword() }, anywhere())
      expect(await refusal(used)).toMatchObject({ status: 400 })
    }
  })

  it('stop working when the account gets another address', async () => {
    const person = newPerson()
    await register(person)
    const verification = await tokenMailedTo(person.email)
    await call(here.partnerAdmin, invitations.invite, { email: person.email, name: 'Guest', roleId: viewer })
    const invitation = await tokenMailedTo(person.email)
    await system.query('UPDATE users SET email = $2 WHERE email = $1', [person.email, `new-${person.email}`])
    expect(await refusal(verify(verification))).toMatchObject({ status: 400 })
    const used = call(null, invitations.acceptInvite, { token: invitation, password: newPassword() }, anywhere())
    expect(await refusal(used)).toMatchObject({ status: 400 })
  })
})

describe('registering an address that is still unproven', () => {
  it('changes nothing: the first password stays, and the owner gets at most three mails', async () => {
    const person = newPerson()
    await register(person)
    const before = await passwordOf(person)
    for (const email of [person.email, person.email.toUpperCase(), person.email, person.email]) {
      await register({ ...newPerson(), email })
    }
    expect(await passwordOf(person)).toBe(before)
    const sent = (await mailsTo(person.email)).filter(({ template }) => template === 'already-registered')
    expect(sent).toHaveLength(3)
  })

  it('is rejected for a look-alike address in another script', async () => {
    const person = { ...newPerson(), email: `kevin-${randomBytes(6).toString('hex')}@example.test` }
    await register(person)
    const lookalike = person.email.replace('k', '\u212a')
    expect(await refusal(register({ ...person, email: lookalike }))).toMatchObject({ status: 400 })
    const invited = call(here.partnerAdmin, invitations.invite, { email: lookalike, name: 'Guest', roleId: viewer })
    expect(await refusal(invited)).toMatchObject({ status: 400 })
  })
})

describe('limits', () => {
  it('many successful acceptances from one address are allowed, because only failures count', async () => {
    const ip = ownAddress()
    const chosen = newPassword()
    for (let n = 0; n < rateLimits.tokenPerAddress.points + 2; n++) {
      const { email } = await call(here.partnerAdmin, invitations.invite, {
        email: newPerson().email,
        name: 'Guest',
        roleId: viewer,
      })
      const given = { token: await tokenMailedTo(email), password: chosen }
      expect(await call(null, invitations.acceptInvite, given, { ip })).toMatchObject({ success: true })
    }
  })

  it('allows one partner ten mails an hour to one address', async () => {
    const { email } = newPerson()
    const member = await call(here.partnerAdmin, invitations.invite, { email, name: 'Guest', roleId: viewer })
    const again = () => call(here.partnerAdmin, invitations.resendInvite, { userId: member.id })
    for (let n = 1; n < rateLimits.invitationPerPartnerAndEmail.points; n++) await again()
    expect(await refusal(again())).toMatchObject({ status: 429, extra: { retryAfter: expect.any(Number) } })
    expect(await mailsTo(email)).toHaveLength(rateLimits.invitationPerPartnerAndEmail.points)
  })

  it('an unknown refresh token does not clear the cache of callers', async () => {
    const clear = vi.spyOn(callersOf(services), 'clear')
    const refreshToken = randomBytes(32).toString('base64url')
    expect(await refusal(call(null, session.refresh, { refreshToken }, anywhere()))).toMatchObject({ status: 401 })
    expect(clear).not.toHaveBeenCalled()
    clear.mockRestore()
  })
})
