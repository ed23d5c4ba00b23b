import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Scope } from '@muster/kit/contract.ts'
import { unauthenticated } from '@muster/kit/errors.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { service } from '../../../services.ts'

export const accessTokenSeconds = 15 * 60
export const refreshTokenSeconds = 7 * 24 * 3600
const issuer = 'muster'
const audience = 'muster-api'
const leewaySeconds = 30
const verifiedMax = 10_000

const Claims = z.object({
  sub: z.guid(),
  sid: z.guid(),
  scope: z.enum(['system', 'partner', 'organization']),
  partner: z.guid().nullable(),
  org: z.guid().nullable(),
  mfa: z.boolean(),
})
export type Claims = z.infer<typeof Claims>

/** Signs and verifies access tokens. */
export class AccessTokens {
  readonly #signing: { readonly kid: string; readonly key: KeyObject }
  readonly #verifying: ReadonlyMap<string, KeyObject>
  /** Tokens whose signature was verified, with their expiry: verifying costs more than the rest of a small request. */
  readonly #verified = new Map<string, { readonly claims: Claims; readonly endsAtMs: number }>()

  constructor({ accessTokens }: Keyring) {
    const [newest] = accessTokens
    if (newest === undefined) throw new Error('the keyring has no access token key')
    this.#signing = { kid: newest.kid, key: createPrivateKey({ format: 'jwk', key: newest }) }
    this.#verifying = new Map(accessTokens.map((jwk) => [jwk.kid, createPublicKey({ format: 'jwk', key: jwk })]))
  }

  sign(claims: {
    userId: string
    sessionId: string
    scope: Scope
    partnerId: string | null
    orgId: string | null
    mfa: boolean
  }) {
    const { userId, sessionId, scope, partnerId, orgId, mfa } = claims
    return new SignJWT({ sid: sessionId, scope, partner: partnerId, org: orgId, mfa })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: this.#signing.kid })
      .setSubject(userId)
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${accessTokenSeconds}s`)
      .sign(this.#signing.key)
  }

  /** @throws UNAUTHENTICATED for anything but a current token of this installation. The error does not say why */
  async verify(token: string): Promise<Claims> {
    const known = this.#verified.get(token)
    if (known !== undefined && known.endsAtMs > Date.now()) return known.claims
    try {
      const { claims, endsAtMs } = await this.#check(token)
      if (this.#verified.size >= verifiedMax) this.#verified.clear()
      this.#verified.set(token, { claims, endsAtMs })
      return claims
    } catch {
      this.#verified.delete(token)
      throw unauthenticated('Invalid or expired token')
    }
  }

  async #check(token: string): Promise<{ claims: Claims; endsAtMs: number }> {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = this.#verifying.get(kid ?? '')
        if (key === undefined) throw new Error('unknown key')
        return key
      },
      {
        issuer,
        audience,
        algorithms: ['EdDSA'],
        typ: 'at+jwt',
        clockTolerance: leewaySeconds,
        // A valid token is never older than its lifetime or from the future, regardless of the expiry that it claims.
        maxTokenAge: accessTokenSeconds,
        requiredClaims: ['exp', 'sub', 'sid'],
      },
    )
    const endsAt = Math.min(payload.exp ?? 0, (payload.iat ?? 0) + accessTokenSeconds)
    return { claims: Claims.parse(payload), endsAtMs: (endsAt + leewaySeconds) * 1000 }
  }
}

/** A random secret with 256 bits of entropy. */
export const opaqueToken = () => randomBytes(32).toString('base64url')

export const accessTokensOf = service(({ keyring }) => new AccessTokens(keyring))
