// State of a sign-in between the redirect to the identity provider and the tokens. Each entry in Redis is used once and bound
// to one browser by a cookie, so a stolen URL with a state or a code is useless without the cookie.
import { createHash } from 'node:crypto'
import type { Redis } from '@muster/backplane/redis.ts'
import { type Keyring, peppered } from '@muster/kit/secrets/keyring.ts'
import { seal, unseal } from '@muster/kit/secrets/sealed.ts'
import { z } from 'zod'
import type { Call } from '../../operation.ts'
import { opaqueToken } from '../auth/index.ts'

export const loginSeconds = 600
export const codeSeconds = 60
const browserCookie = 'muster_sso'

const LoginSession = z.object({
  providerId: z.guid(),
  orgId: z.guid(),
  /** The issuer at the start. A provider whose issuer changed meanwhile cannot complete the sign-in. */
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
  /** Whether the provider reported a second factor. Whether it is trusted is decided when the code is exchanged. */
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

/** The ID of this browser: from the cookie of another sign-in in progress, or a new one. */
export function identifyBrowser({ request, reply }: Pick<Call, 'request' | 'reply'>): string {
  const own = request.cookie(browserCookie)
  const mark = own !== undefined && /^[\w-]{43}$/.test(own) ? own : opaqueToken()
  // SameSite=Lax, because the browser has to send the cookie when the provider redirects it back.
  reply.cookie(browserCookie, mark, { maxAgeSeconds: loginSeconds + codeSeconds, path: '/', sameSite: 'lax' })
  return digest(mark)
}

/** Whether the request comes from the browser that began the sign-in. */
export const isBrowser = ({ request }: Pick<Call, 'request'>, browser: string): boolean =>
  digest(request.cookie(browserCookie) ?? '') === browser

export async function storeLogin(stores: Stores, session: LoginSession): Promise<void> {
  const key = loginKey(stores, session.state)
  await stores.redis.set(key, seal(stores.keyring, JSON.stringify(session), key), 'EX', loginSeconds)
}

/** Returns the sign-in of a state and deletes it. */
export async function takeLogin(stores: Stores, state: string): Promise<LoginSession | null> {
  const key = loginKey(stores, state)
  const sealed = await stores.redis.getdel(key)
  return sealed === null ? null : LoginSession.parse(JSON.parse(unseal(stores.keyring, sealed, key)))
}

/** @returns a code for the sign-in, valid once within a minute */
export async function storeSignedIn(stores: Stores, signedIn: SignedIn): Promise<string> {
  const code = opaqueToken()
  await stores.redis.set(codeKey(stores, code), JSON.stringify(signedIn), 'EX', codeSeconds)
  return code
}

/** Returns the sign-in of a code and deletes it. */
export async function takeSignedIn(stores: Stores, code: string): Promise<SignedIn | null> {
  const entry = await stores.redis.getdel(codeKey(stores, code))
  return entry === null ? null : SignedIn.parse(JSON.parse(entry))
}
