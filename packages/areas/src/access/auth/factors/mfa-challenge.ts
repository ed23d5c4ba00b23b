// The state between a right password and the second factor. A tempToken is not an access token. It is an opaque key to an
// entry in Redis that only the verification and the sending of SMS codes read.

import type { Redis } from '@muster/backplane/redis.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { peppered } from '@muster/kit/secrets/keyring.ts'
import { z } from 'zod'
import type { Call } from '../../../operation.ts'
import type { Account } from '../sessions/accounts.queries.ts'
import type { Membership } from '../sessions/memberships.queries.ts'
import { opaqueToken } from '../sessions/tokens.ts'
import type { MfaChallenge } from '../sign-in/session.contract.ts'
import { requestOptions } from './passkey-ceremony.ts'

const challengeSeconds = 300
const failuresMax = 5

const Challenge = z.object({
  userId: z.guid(),
  scope: z.enum(['system', 'partner', 'organization']),
  partnerId: z.guid().nullable(),
  orgId: z.guid().nullable(),
  /** A password change invalidates the challenge. */
  passwordChangedAt: z.string().nullable(),
  passkeyChallenge: z.string().nullable(),
  /** The identity provider that signed the user in, instead of a password. */
  providerId: z.guid().nullable().default(null),
})
type Challenge = z.infer<typeof Challenge>

const keyOf = (keyring: Keyring, tempToken: string) => `mfa:challenge:${peppered(keyring, tempToken)}`
const failuresOf = (key: string) => `${key}:failures`

export const phoneEnding = (phoneNumber: string | null): string | null => phoneNumber?.slice(-3) ?? null

/** Creates a tempToken for a user whose password was right or whom an identity provider signed in. */
export async function challenge(
  call: Call,
  account: Account,
  membership: Membership,
  providerId: string | null = null,
): Promise<MfaChallenge> {
  const { keyring, redis } = call.services
  const tempToken = opaqueToken()
  const passkeyOptions = account.hasPasskey
    ? await requestOptions(call.services, { userId: account.id, providerId })
    : null
  const entry: Challenge = {
    userId: account.id,
    scope: membership.scope,
    partnerId: membership.partnerId,
    orgId: membership.orgId,
    passwordChangedAt: account.passwordChangedAt,
    passkeyChallenge: passkeyOptions?.challenge ?? null,
    providerId,
  }
  await redis.set(keyOf(keyring, tempToken), JSON.stringify(entry), 'EX', challengeSeconds)
  const usesSms = account.mfaEnabled && account.mfaMethod === 'sms'
  return {
    mfaRequired: true,
    tempToken,
    expiresIn: challengeSeconds,
    methods: [
      ...(account.mfaEnabled ? [usesSms ? ('sms' as const) : ('totp' as const)] : []),
      ...(account.hasPasskey ? ['passkey' as const] : []),
      'recovery',
    ],
    phoneEnding: usesSms ? phoneEnding(account.phoneNumber) : null,
    passkeyOptions: passkeyOptions === null ? null : { ...passkeyOptions },
  }
}

export async function findChallenge(redis: Redis, keyring: Keyring, tempToken: string): Promise<Challenge | null> {
  const entry = await redis.get(keyOf(keyring, tempToken))
  return entry === null ? null : Challenge.parse(JSON.parse(entry))
}

/** Counts a wrong answer. The last one allowed ends the challenge. */
export async function countWrongAnswer(redis: Redis, keyring: Keyring, tempToken: string): Promise<void> {
  const key = keyOf(keyring, tempToken)
  const failures = await redis.incr(failuresOf(key))
  await redis.expire(failuresOf(key), challengeSeconds)
  if (failures >= failuresMax) await redis.del(key)
}

/** Ends the challenge. @returns false when another request used it first */
export async function useChallenge(redis: Redis, keyring: Keyring, tempToken: string): Promise<boolean> {
  return (await redis.del(keyOf(keyring, tempToken))) === 1
}
