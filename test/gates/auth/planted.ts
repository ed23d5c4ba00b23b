// Accounts created before their email address was verified, with a credential of every kind planted in them.

import { randomBytes } from 'node:crypto'
import { keys } from '@muster/areas/access/api-keys/keys.contract.ts'
import { mfa } from '@muster/areas/access/auth/factors/mfa.contract.ts'
import { passkeys } from '@muster/areas/access/auth/factors/passkeys.contract.ts'
import { phone } from '@muster/areas/access/auth/factors/phone.contract.ts'
import { registration } from '@muster/areas/access/auth/sign-in/registration.contract.ts'
import { session } from '@muster/areas/access/auth/sign-in/session.contract.ts'
import { callersOf } from '@muster/areas/caller-cache.ts'
import { groups } from '@muster/areas/fleet/groups/groups.contract.ts'
import { devSmsKey } from '@muster/areas/platform/sms/index.ts'
import { Authenticator } from '@muster/testkit/authenticator.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { newPassword, ownAddress } from '@muster/testkit/credentials.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type World, world } from '@muster/testkit/world.ts'
import { generateSync } from 'otplib'

export interface Planted {
  readonly email: string
  readonly userId: string
  /** Null if an identity provider created the account. */
  readonly password: string | null
  readonly passkey: Authenticator
  readonly totpSecret: string
  readonly recoveryCode: string
  readonly apiKey: string
  readonly sessions: readonly { readonly token: string; readonly refreshToken: string }[]
}

const services = await testServices()
const { system, redis } = services
const callers = callersOf(services)
export const device = () => new Authenticator('http://localhost:3000', 'localhost')
const anywhere = () => ({ ip: ownAddress() })

export async function signIn(email: string, password: string) {
  const tokens = await call(null, session.login, { email, password }, anywhere())
  if (tokens.mfaRequired) throw new Error('the sign-in required a second factor')
  return { ...tokens, token: tokens.accessToken }
}

export async function signInWithPasskey(passkey: Authenticator) {
  const { challengeToken, options } = await call(null, passkeys.loginOptions, {}, anywhere())
  return call(null, passkeys.login, { challengeToken, passkey: passkey.get(options) }, anywhere())
}

async function smsTo(number: string): Promise<string> {
  const kept = (await redis.lrange(devSmsKey, 0, -1)).map((entry) => JSON.parse(entry))
  return /\d{6}/.exec(kept.find(({ to }) => to === number)?.text ?? '')?.[0] ?? ''
}

/** Enrolls every credential that a session can: phone, authenticator with recovery codes, passkey, API key. */
export async function enrollAll(who: { readonly token: string }) {
  const phoneNumber = `+4930${Math.floor(1e7 + Math.random() * 8e7)}`
  await call(who, phone.verify, { phoneNumber })
  await call(who, phone.confirm, { code: await smsTo(phoneNumber) })
  const { secret, recoveryCodes } = await call(who, mfa.setup, {})
  await call(who, mfa.enable, { code: generateSync({ secret }) })
  const passkey = device()
  const options = await call(who, passkeys.registrationOptions, {})
  await call(who, passkeys.add, { passkey: passkey.create(options) })
  const { key } = await call(who, keys.create, { name: 'Planted', scopes: ['devices:read'] })
  return { totpSecret: secret, recoveryCode: recoveryCodes[0] ?? '', passkey, apiKey: key }
}

/**
 * Plants credentials in an account with a password. A session of an unverified account cannot enroll any,
 * so the account is verified and a member during the enrollment. A leak or an earlier version could leave the same state.
 */
async function plantWithPassword(email: string, password: string, there: World): Promise<Planted> {
  const { rows } = await system.query('SELECT id FROM users WHERE email = $1', [email])
  const userId: string = rows[0].id
  await system.query('UPDATE users SET email_verified_at = now() WHERE id = $1', [userId])
  await system.query(
    `INSERT INTO organization_users (org_id, partner_id, user_id, role_id)
     SELECT $1, $2, $3, id FROM roles WHERE is_system AND name = 'Org Admin'`,
    [there.org.id, there.partner.id, userId],
  )
  const sessions = [await signIn(email, password)]
  const made = await enrollAll(sessions[0] ?? { token: '' })
  await system.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [userId])
  await callers.clear()
  return { email, userId, password, sessions, ...made }
}

export const newAddress = () => `${randomBytes(6).toString('hex')}@example.test`

/** The ways in which another person can create an account with a password for an email address. */
export const registrations = {
  async register(): Promise<Planted> {
    const [email, password] = [newAddress(), newPassword()]
    await call(null, registration.register, { email, password, name: 'Stranger' }, anywhere())
    return plantWithPassword(email, password, await world())
  },
  async 'register-partner'(): Promise<Planted> {
    const [email, password] = [newAddress(), newPassword()]
    const given = { email, password, name: 'Stranger', companyName: 'Strangers' }
    await call(null, registration.registerPartner, given, anywhere())
    return plantWithPassword(email, password, await world())
  },
}

const status = (calling: Promise<unknown>) =>
  calling.then(
    () => 200,
    async (error: unknown) => (await refusal(Promise.reject(error))).status,
  )

/** The status that each planted credential receives, by kind. */
export async function statusesOf({ email, password, passkey, apiKey, sessions }: Planted) {
  const asKey = { headers: { 'x-api-key': apiKey } }
  return {
    password: password === null ? 401 : await status(call(null, session.login, { email, password }, anywhere())),
    passkey: await status(signInWithPasskey(passkey)),
    apiKey: await status(call(null, groups.list, {}, asKey)),
    sessions: await Promise.all(sessions.map(({ token }) => status(call({ token }, session.me, {})))),
    refreshTokens: await Promise.all(
      sessions.map(({ refreshToken }) => status(call(null, session.refresh, { refreshToken }, anywhere()))),
    ),
  }
}

/** The factors and API keys that an account still has. */
export async function factorsOf(userId: string) {
  const { rows } = await system.query(
    `SELECT mfa_enabled, mfa_secret, mfa_recovery_codes, phone_number, phone_verified, factors_provider_id,
       (SELECT count(*)::int FROM passkeys p WHERE p.user_id = users.id) AS passkeys,
       (SELECT count(*)::int FROM api_keys k WHERE k.user_id = users.id AND revoked_at IS NULL) AS keys
     FROM users WHERE id = $1`,
    [userId],
  )
  return rows[0]
}
export const noFactors = {
  mfa_enabled: false,
  mfa_secret: null,
  mfa_recovery_codes: [],
  phone_number: null,
  phone_verified: false,
  factors_provider_id: null,
  passkeys: 0,
  keys: 0,
}
