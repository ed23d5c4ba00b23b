import { randomBytes, randomInt } from 'node:crypto'
import { newRecoveryCodes, storedCodes } from '@muster/areas/access/auth/factors/recovery-codes.ts'
import { passwordsOf } from '@muster/areas/access/auth/passwords/passwords.ts'
import { callersOf } from '@muster/areas/caller-cache.ts'
import type { Reply } from '@muster/kit/call.ts'
import { testServices } from './services.ts'
import type { Person } from './world.ts'

/** A password that passes the strength check and is different each time. */
export const newPassword = () => `Gull-${randomBytes(6).toString('hex')}-Harbour`

/** Sets a password for a person. */
export async function withPassword<P extends Person>(
  who: P,
  password = newPassword(),
): Promise<P & { password: string }> {
  const services = await testServices()
  const { system } = services
  const passwords = passwordsOf(services)
  await system.query('UPDATE users SET password_hash = $2, password_changed_at = now() WHERE id = $1', [
    who.userId,
    await passwords.hash(password),
  ])
  return { ...who, password }
}

/** Creates a recovery code, which replaces a second factor once. Earlier codes become invalid. */
export async function withRecoveryCode({ userId }: Pick<Person, 'userId'>): Promise<string> {
  const { system, keyring } = await testServices()
  const [code = ''] = newRecoveryCodes()
  const codes = storedCodes(keyring, userId, [code])
  await system.query('UPDATE users SET mfa_enabled = true, mfa_recovery_codes = $2 WHERE id = $1', [userId, codes])
  return code
}

/** Backdates the sign-in of a person, so that operations with `stepUp` require a proof. */
export async function signedInLongAgo({ sessionId }: Pick<Person, 'sessionId'>): Promise<void> {
  const services = await testServices()
  const { system } = services
  const callers = callersOf(services)
  await system.query(`UPDATE sessions SET authenticated_at = now() - interval '31 minutes' WHERE id = $1`, [sessionId])
  await callers.clear()
}

/** An address for one test, so that limits by address do not affect other tests. */
export const ownAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${1 + randomInt(254)}`

/** Remembers the cookies that answers set, like a browser. */
export function browser() {
  const cookies: Record<string, string> = {}
  const reply: Reply = {
    header() {},
    cookie(name, value, { maxAgeSeconds }) {
      if (maxAgeSeconds > 0) cookies[name] = value
      else delete cookies[name]
    },
  }
  return { cookies, reply }
}
