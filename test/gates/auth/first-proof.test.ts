// Finding 1: whoever makes an account for an address first keeps nothing once the owner of the mailbox has proven it. Every
// way to make an account × every order of the ways to prove the mailbox, with a credential of every kind planted before.

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
import { connected, roleNamed, someone, startProviders } from '../sso/connected.ts'
import { startSite, Visitor } from '../sso/site.ts'
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
  whatOpens,
} from './planted.ts'

const msp = await world()
const site = await startSite()
const { idp } = await startProviders(site)
const anywhere = () => ({ ip: ownAddress() })
const adminRole =
  (await call(msp.partnerAdmin, users.roles, {})).data.find(({ name }) => name === 'Partner Admin')?.id ?? ''

/** A stranger's identity provider makes the account, and the stranger enrolls what it can in its session. */
async function provisioned(): Promise<Planted> {
  const there = await world()
  await connected(there, idp, { autoProvision: true, defaultRoleId: await roleNamed(there, 'Org Admin') })
  const { subject, email } = someone(idp)
  const browser = new Visitor(site)
  const { body } = await browser.exchange((await browser.signIn(there.org.id, subject)).code)
  const opened = { token: body.accessToken, refreshToken: body.refreshToken }
  return { email, userId: body.user.id, password: null, sessions: [opened], ...(await enrollAll(opened)) }
}
const ways: Readonly<Record<string, () => Promise<Planted>>> = { ...registrations, provisioned }

/** What the owner of the mailbox has: a password once one is set. */
interface Owner {
  password: string | null
}
type Proof = (planted: Planted, owner: Owner) => Promise<boolean>

const templateTo = async (email: string, template: string) =>
  (await mailsTo(email))
    .filter((mail) => mail.template === template)
    .at(-1)
    ?.data.url?.split('#token=')[1]

/** Each says whether it proved the mailbox. */
const proofs: Readonly<Record<string, Proof>> = {
  async verify({ email, sessions: planted }) {
    const [stranger] = planted
    const isRegistered = (await templateTo(email, 'verify-email')) !== undefined
    // A provider's session can ask for the mail; it goes to the mailbox.
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

describe.each(Object.entries(ways))('finding 1: an account made by %s', (way, make) => {
  it.each(orders)('keeps nothing from before the proof: %s, %s, %s', async (...order) => {
    const planted = await make()
    if (planted.password !== null) {
      // Before the proof a sign-in is answered, and opens nothing.
      const closed = { password: 200, passkey: 200, apiKey: 403, sessions: [403], refreshTokens: [200] }
      expect(await whatOpens(planted)).toEqual(closed)
      expect(await signIn(planted.email, planted.password)).toMatchObject({ emailVerificationRequired: true })
    }
    const owner: Owner = { password: null }
    let isProven = false
    let own: Authenticator | null = null
    for (const name of order) {
      const proves = (await proofs[name]?.(planted, owner)) === true
      if (!isProven && !proves) {
        // An account that never had a password has none to reset.
        expect([way, name]).toEqual(['provisioned', 'reset'])
        continue
      }
      expect(await whatOpens(planted)).toEqual(nothingOpens)
      if (!isProven) expect(await factorsOf(planted.userId)).toEqual(noFactors)
      isProven = true
      if (own === null && owner.password !== null) own = await ownPasskey(planted.email, owner.password)
    }
    // What the owner made after the first proof is kept by the later ones.
    expect(own).not.toBeNull()
    if (own !== null) expect(await signInWithPasskey(own)).toMatchObject({ user: { id: planted.userId } })
    expect((await factorsOf(planted.userId)).passkeys).toBe(1)
  })
})

/** The owner adds a passkey, once the account belongs somewhere. */
async function ownPasskey(email: string, given: string): Promise<Authenticator | null> {
  const who = await signIn(email, given).catch(() => null)
  if (who === null) return null
  const own = device()
  await call(who, passkeys.add, { passkey: own.create(await call(who, passkeys.registrationOptions, {})) })
  return own
}

describe('finding 1: the exploit of the review', () => {
  it('gives the stranger nothing, and the owner the account', async () => {
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

describe('finding 1: factors that were made in a session of an identity provider', () => {
  it('count in sessions of that provider alone, also for an account that is proven', async () => {
    const planted = await provisioned()
    const own = newPassword()
    const services = await testServices()
    const { system } = services
    const passwords = passwordsOf(services)
    await system.query('UPDATE users SET email_verified_at = now(), password_hash = $2 WHERE id = $1', [
      planted.userId,
      await passwords.hash(own),
    ])
    // The person's own sign-in is asked for none of them, and none of them signs in.
    const who = await signIn(planted.email, own)
    expect(await refusal(signInWithPasskey(planted.passkey))).toMatchObject({ status: 401 })
    expect(await call(who, session.me, {})).toMatchObject({ mfaEnabled: false, phoneVerified: false, passkeys: 0 })
    // What the person enrolls instead is the person's, and replaces the provider's set.
    const mine = device()
    await call(who, passkeys.add, { passkey: mine.create(await call(who, passkeys.registrationOptions, {})) })
    expect(await signInWithPasskey(mine)).toMatchObject({ user: { id: planted.userId } })
    expect(await factorsOf(planted.userId)).toMatchObject({ mfa_secret: null, factors_provider_id: null, passkeys: 2 })
    // And the provider's session changes none of it.
    const [opened] = planted.sessions
    if (opened === undefined) throw new Error('no session')
    expect((await call(opened, passkeys.list, {})).data).toHaveLength(1)
    expect(await refusal(call(opened, mfa.recoveryCodes, {}))).toMatchObject({ status: 403 })
  })
})

describe('finding 1: a partner that waits for approval', () => {
  it('counts nowhere: the administrator of the other place is in charge', async () => {
    const email = newAddress()
    const company = { email, password: newPassword(), name: 'Stranger', companyName: 'Strangers' }
    await call(null, registration.registerPartner, company, anywhere())
    const { id } = await call(msp.partnerAdmin, invitations.invite, { email, name: 'Owner', roleId: adminRole })
    const given = { token: await tokenMailedTo(email), password: newPassword() }
    await call(null, invitations.acceptInvite, given, anywhere())
    // The sign-in leads to the place that is open, and an administrator of it can help.
    expect((await signIn(email, given.password)).user.partnerId).toBe(msp.partner.id)
    expect(await call(msp.partnerAdmin, protection.resetMfa, { id })).toMatchObject({ success: true })
  })
})
