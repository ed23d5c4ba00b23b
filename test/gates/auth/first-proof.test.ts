// A stranger who creates an account for an email address loses all access once the owner of the mailbox verifies it.
// Tested for each way to create an account and each order of verifications, with planted credentials of every kind.

import { mfa } from '@muster/areas/access/auth/factors/mfa.contract.ts'
import { passkeys } from '@muster/areas/access/auth/factors/passkeys.contract.ts'
import { passwordsOf } from '@muster/areas/access/auth/passwords/passwords.ts'
import { sessions } from '@muster/areas/access/auth/sessions/sessions.contract.ts'
import { password } from '@muster/areas/access/auth/sign-in/password.contract.ts'
import { registration } from '@muster/areas/access/auth/sign-in/registration.contract.ts'
import { session } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { invitations } from '@muster/areas/access/users/invitations/invitations.contract.ts'
import { protection } from '@muster/areas/access/users/protection/protection.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import type { Authenticator } from '@muster/testkit/authenticator.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { newPassword, ownAddress } from '@muster/testkit/credentials.ts'
import { mailsTo, tokenMailedTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { connectProvider, newSubject, roleNamed, startProviders } from '../sso/provider-setup.ts'
import { BrowserClient, startSsoServer } from '../sso/sso-server.ts'
import {
  device,
  enrollAll,
  factorsOf,
  newAddress,
  noFactors,
  type Planted,
  registrations,
  signIn,
  signInWithPasskey,
  statusesOf,
} from './planted.ts'

const msp = await world()
const sso = await startSsoServer()
const { idp } = await startProviders(sso)
const anywhere = () => ({ ip: ownAddress() })
const adminRole =
  (await call(msp.partnerAdmin, users.roles, {})).data.find(({ name }) => name === 'Partner Admin')?.id ?? ''

/** A stranger's identity provider creates the account, and the stranger enrolls all that its session allows. */
async function provisioned(): Promise<Planted> {
  const there = await world()
  await connectProvider(there, idp, { autoProvision: true, defaultRoleId: await roleNamed(there, 'Org Admin') })
  const { subject, email } = newSubject(idp)
  const browser = new BrowserClient(sso)
  const { body } = await browser.exchange((await browser.signIn(there.org.id, subject)).code)
  const opened = { token: body.accessToken, refreshToken: body.refreshToken }
  return { email, userId: body.user.id, password: null, sessions: [opened], ...(await enrollAll(opened)) }
}
const creations: Readonly<Record<string, () => Promise<Planted>>> = { ...registrations, provisioned }

/** The owner of the mailbox: has a password once one is set. */
interface Owner {
  password: string | null
}
type Proof = (planted: Planted, owner: Owner) => Promise<boolean>

const templateTo = async (email: string, template: string) =>
  (await mailsTo(email))
    .filter((mail) => mail.template === template)
    .at(-1)
    ?.data.url?.split('#token=')[1]

/** Each returns whether it verified the mailbox. */
const proofs: Readonly<Record<string, Proof>> = {
  async verify({ email, sessions: planted }) {
    const [stranger] = planted
    const isRegistered = (await templateTo(email, 'verify-email')) !== undefined
    // A provider's session can request the email, which is sent to the mailbox.
    if (!isRegistered && stranger) await call(stranger, registration.resendVerification, {}).catch(() => undefined)
    const token = await templateTo(email, 'verify-email')
    if (token === undefined) return false
    const verifying = call(null, registration.verifyEmail, { token }, anywhere())
    return verifying.then(
      (answer) => {
        expect(answer).toEqual({ success: true, passwordRequired: true })
        return true
      },
      () => false,
    )
  },
  async reset({ email }, owner) {
    await call(null, password.forgot, { email }, anywhere())
    const token = await templateTo(email, 'reset-password')
    if (token === undefined) return false
    const newPasswordOfOwner = newPassword()
    await call(null, password.reset, { token, newPassword: newPasswordOfOwner }, anywhere())
    owner.password = newPasswordOfOwner
    return true
  },
  async invite({ email }, owner) {
    await call(msp.partnerAdmin, invitations.invite, { email, name: 'Owner', roleId: adminRole })
    owner.password ??= newPassword()
    const given = { token: await tokenMailedTo(email), password: owner.password }
    await call(null, invitations.acceptInvite, given, anywhere())
    return true
  },
}
const orders = [
  ['verify', 'reset', 'invite'],
  ['verify', 'invite', 'reset'],
  ['reset', 'verify', 'invite'],
  ['reset', 'invite', 'verify'],
  ['invite', 'verify', 'reset'],
  ['invite', 'reset', 'verify'],
]
const nothingOpens = { password: 401, passkey: 401, apiKey: 401, sessions: [401], refreshTokens: [401] }

describe.each(Object.entries(creations))('an account created by %s', (way, make) => {
  it.each(orders)('keeps nothing from before the proof: %s, %s, %s', async (...order) => {
    const planted = await make()
    if (planted.password !== null) {
      // Before the verification a sign-in succeeds, but its session has no access.
      const closed = { password: 200, passkey: 200, apiKey: 403, sessions: [403], refreshTokens: [200] }
      expect(await statusesOf(planted)).toEqual(closed)
      expect(await signIn(planted.email, planted.password)).toMatchObject({ emailVerificationRequired: true })
    }
    const owner: Owner = { password: null }
    let isProven = false
    let own: Authenticator | null = null
    for (const name of order) {
      const proves = (await proofs[name]?.(planted, owner)) === true
      if (!isProven && !proves) {
        // An account without a password has none to reset.
        expect([way, name]).toEqual(['provisioned', 'reset'])
        continue
      }
      expect(await statusesOf(planted)).toEqual(nothingOpens)
      if (!isProven) expect(await factorsOf(planted.userId)).toEqual(noFactors)
      isProven = true
      if (own === null && owner.password !== null) own = await ownPasskey(planted.email, owner.password)
    }
    // Later verifications keep what the owner enrolled after the first one.
    expect(own).not.toBeNull()
    if (own !== null) expect(await signInWithPasskey(own)).toMatchObject({ user: { id: planted.userId } })
    expect((await factorsOf(planted.userId)).passkeys).toBe(1)
  })
})

/** The owner adds a passkey, once the account has a membership. */
async function ownPasskey(email: string, given: string): Promise<Authenticator | null> {
  const who = await signIn(email, given).catch(() => null)
  if (who === null) return null
  const own = device()
  await call(who, passkeys.add, { passkey: own.create(await call(who, passkeys.registrationOptions, {})) })
  return own
}

describe('a partner registered with the email of another person', () => {
  it('gives the account to the owner of the mailbox, and no access to the stranger', async () => {
    const email = newAddress()
    const planted = newPassword()
    const company = { email, password: planted, name: 'Stranger', companyName: 'Strangers' }
    await call(null, registration.registerPartner, company, anywhere())
    const stranger = await signIn(email, planted)
    const closed = { status: 403, code: 'EMAIL_NOT_VERIFIED' }
    expect(await refusal(call(stranger, passkeys.registrationOptions, {}))).toMatchObject(closed)
    await call(msp.partnerAdmin, invitations.invite, { email, name: 'Owner', roleId: adminRole })
    const invitation = await tokenMailedTo(email)
    const owners = newPassword()
    await proofs.reset?.({ email } as Planted, { password: null })
    await call(null, invitations.acceptInvite, { token: invitation, password: owners }, anywhere()).catch(
      () => undefined,
    )
    expect(await refusal(signIn(email, planted))).toMatchObject({ status: 401 })
    expect(await refusal(call(stranger, session.me, {}))).toMatchObject({ status: 401 })
    const mspPlace = { scope: 'partner' as const, partnerId: msp.partner.id, orgId: null }
    expect(await refusal(call(stranger, sessions.switch, mspPlace))).toMatchObject({ status: 401 })
  })
})

describe('factors enrolled in a session of an identity provider', () => {
  it('count only in sessions of that provider, also for a verified account', async () => {
    const planted = await provisioned()
    const own = newPassword()
    const services = await testServices()
    const { system } = services
    const passwords = passwordsOf(services)
    await system.query('UPDATE users SET email_verified_at = now(), password_hash = $2 WHERE id = $1', [
      planted.userId,
      await passwords.hash(own),
    ])
    // A sign-in with the password requires none of them, and none of them signs in.
    const who = await signIn(planted.email, own)
    expect(await refusal(signInWithPasskey(planted.passkey))).toMatchObject({ status: 401 })
    expect(await call(who, session.me, {})).toMatchObject({ mfaEnabled: false, phoneVerified: false, passkeys: 0 })
    // The user's own factors replace those of the provider.
    const mine = device()
    await call(who, passkeys.add, { passkey: mine.create(await call(who, passkeys.registrationOptions, {})) })
    expect(await signInWithPasskey(mine)).toMatchObject({ user: { id: planted.userId } })
    expect(await factorsOf(planted.userId)).toMatchObject({ mfa_secret: null, factors_provider_id: null, passkeys: 2 })
    // The provider's session cannot change them.
    const [opened] = planted.sessions
    if (opened === undefined) throw new Error('no session')
    expect((await call(opened, passkeys.list, {})).data).toHaveLength(1)
    expect(await refusal(call(opened, mfa.recoveryCodes, {}))).toMatchObject({ status: 403 })
  })
})

describe('a partner that waits for approval', () => {
  it('does not count as a membership: the administrator of the other partner can reset the factors', async () => {
    const email = newAddress()
    const company = { email, password: newPassword(), name: 'Stranger', companyName: 'Strangers' }
    await call(null, registration.registerPartner, company, anywhere())
    const { id } = await call(msp.partnerAdmin, invitations.invite, { email, name: 'Owner', roleId: adminRole })
    const given = { token: await tokenMailedTo(email), password: newPassword() }
    await call(null, invitations.acceptInvite, given, anywhere())
    // The sign-in selects the active partner, and its administrator can reset the factors.
    expect((await signIn(email, given.password)).user.partnerId).toBe(msp.partner.id)
    expect(await call(msp.partnerAdmin, protection.resetMfa, { id })).toMatchObject({ success: true })
  })
})
