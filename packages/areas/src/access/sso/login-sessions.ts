// What is remembered between leaving for the identity provider and being signed in: in Redis, each used once, and bound by a
// cookie to the browser that began. Somebody who gets hold of an address with a state or a code has nothing without it.
import { createHash } from 'node:crypto'
import type { Redis } from '@muster/backplane/redis.ts'
import { type Keyring, peppered } from '@muster/kit/keyring.ts'
import { seal, unseal } from '@muster/kit/sealed.ts'
import { z } from 'zod'
import type { Call } from '../../operation.ts'
import { opaqueToken } from '../auth/index.ts'

export const loginSeconds = 600
export const codeSeconds = 60
const browserCookie = 'muster_sso'

const LoginSession = z.object({
  providerId: z.guid(),
  orgId: z.guid(),
  /** A provider that has become another one meanwhile does not get the answer of this. */
  issuer: z.string(),
  clientId: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  browser: z.string(),
  redirect: z.string(),
})
export type LoginSession = z.infer<typeof LoginSession>

const SignedIn = z.object({
  providerId: z.guid(),
  orgId: z.guid(),
  userId: z.guid(),
  /** Did the provider speak of a second factor? Whether that counts is decided when the code is exchanged. */
  mfa: z.boolean(),
  browser: z.string(),
})
export type SignedIn = z.infer<typeof SignedIn>

interface Stores {
  readonly redis: Redis
  readonly keyring: Keyring
}
const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
const loginKey = ({ keyring }: Stores, state: string) => `sso:login:${peppered(keyring, state)}`
const codeKey = ({ keyring }: Stores, code: string) => `sso:code:${peppered(keyring, code)}`

/** The mark of this browser: the one that it has from a sign-in under way in another window, or a new one. */
export function markBrowser({ request, reply }: Pick<Call, 'request' | 'reply'>): string {
  const own = request.cookie(browserCookie)
  const mark = own !== undefined && /^[\w-]{43}$/.test(own) ? own : opaqueToken()
  // Lax: the browser has to bring it along when the provider sends it back to us.
  reply.cookie(browserCookie, mark, { maxAgeSeconds: loginSeconds + codeSeconds, path: '/', sameSite: 'lax' })
  return digest(mark)
}

/** Is it the browser that began? */
export const isBrowser = ({ request }: Pick<Call, 'request'>, browser: string): boolean =>
  digest(request.cookie(browserCookie) ?? '') === browser

export async function keepLogin(stores: Stores, session: LoginSession): Promise<void> {
  const key = loginKey(stores, session.state)
  await stores.redis.set(key, seal(stores.keyring, JSON.stringify(session), key), 'EX', loginSeconds)
}

/** The sign-in that a state belongs to; it is gone with this. */
export async function takeLogin(stores: Stores, state: string): Promise<LoginSession | null> {
  const key = loginKey(stores, state)
  const sealed = await stores.redis.getdel(key)
  return sealed === null ? null : LoginSession.parse(JSON.parse(unseal(stores.keyring, sealed, key)))
}

/** @returns a code that stands for the sign-in, for a minute and one use */
export async function keepSignedIn(stores: Stores, signedIn: SignedIn): Promise<string> {
  const code = opaqueToken()
  await stores.redis.set(codeKey(stores, code), JSON.stringify(signedIn), 'EX', codeSeconds)
  return code
}

/** What a code stands for; it is gone with this. */
export async function takeSignedIn(stores: Stores, code: string): Promise<SignedIn | null> {
  const entry = await stores.redis.getdel(codeKey(stores, code))
  return entry === null ? null : SignedIn.parse(JSON.parse(entry))
}
