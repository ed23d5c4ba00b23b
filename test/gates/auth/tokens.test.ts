// Case B15: access tokens that are forged, changed, or made for another purpose.
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { authenticate } from '@muster/areas/access/auth/sessions/authenticate.ts'
import { refusal, requestAs } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'

const here = await world()
const elsewhere = await world()
const services = await testServices()
const { keyring } = services
const [signing] = keyring.accessTokens
const [ofDevices] = keyring.deviceCertificates
if (signing === undefined || ofDevices === undefined) throw new Error('no keys')
const key = createPrivateKey({ format: 'jwk', key: signing })
const publicPem = createPublicKey(key).export({ type: 'spki', format: 'pem' })
const valid = here.orgAdmin.token
const [head = '', body = '', signature = ''] = valid.split('.')
const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = { alg: 'EdDSA', typ: 'at+jwt', kid: signing.kid }

interface Forging {
  readonly header?: Record<string, unknown>
  readonly claims?: Record<string, unknown>
  readonly key?: KeyObject
}
/** A token signed as the service does, with the given differences. */
const signed = ({ header: more = {}, claims: other = {}, key: by = key }: Forging) =>
  new SignJWT({ ...claims, ...other }).setProtectedHeader({ ...header, ...more, alg: 'EdDSA' }).sign(by)
const hmac = (alg: string, digest: string, secret: string | Buffer) => {
  const input = `${encode({ ...header, alg })}.${body}`
  return `${input}.${createHmac(digest, secret).update(input).digest('base64url')}`
}
const stranger = generateKeyPairSync('ed25519').privateKey
const now = Math.floor(Date.now() / 1000)

const forged: Record<string, string | Promise<string>> = {
  'no algorithm': `${encode({ ...header, alg: 'none' })}.${body}.`,
  'no algorithm, in capitals': `${encode({ ...header, alg: 'NONE' })}.${body}.`,
  'no signature': `${head}.${body}.`,
  'two parts without a signature': `${head}.${body}`,
  'public key as a shared secret': hmac('HS256', 'sha256', publicPem),
  'public key as a longer shared secret': hmac('HS512', 'sha512', publicPem),
  'key id as a shared secret': hmac('HS256', 'sha256', signing.kid),
  'RSA in the header': `${encode({ ...header, alg: 'RS256' })}.${body}.${signature}`,
  'another curve in the header': `${encode({ ...header, alg: 'ES256' })}.${body}.${signature}`,
  "a stranger's key": signed({ key: stranger }),
  'the key that signs device certificates': signed({
    key: createPrivateKey({ format: 'jwk', key: ofDevices }),
    header: { kid: ofDevices.kid },
  }),
  'a key in the header of the token': signed({
    key: stranger,
    header: { jwk: createPublicKey(stranger).export({ format: 'jwk' }) },
  }),
  'a key at a URL': signed({
    key: stranger,
    header: { jku: 'https://evil.example/jwks.json', x5u: 'https://evil.example' },
  }),
  'a key id that is a path': signed({ header: { kid: '../../../dev/null' } }),
  'a key id that is a query': signed({ header: { kid: "' OR 1=1 --" } }),
  'a key id that is a property of every object': signed({ header: { kid: 'constructor' } }),
  'an extension marked as critical': `${encode({ ...header, crit: ['exp'], b64: false })}.${body}.${signature}`,
  'for agents': signed({ claims: { aud: 'muster-ingest' } }),
  'without an audience': signed({ claims: { aud: undefined } }),
  'from another issuer': signed({ claims: { iss: 'https://evil.example' } }),
  'of another type': signed({ header: { typ: 'JWT' } }),
  'of no type': signed({ header: { typ: undefined } }),
  expired: signed({ claims: { exp: now - 60 } }),
  'without an expiration': signed({ claims: { exp: undefined } }),
  'from the future': signed({ claims: { iat: now + 3_600, exp: now + 7_200 } }),
  'not valid yet': signed({ claims: { nbf: now + 3_600 } }),
  'valid for ten years': signed({ claims: { iat: now - 86_400, exp: now + 315_360_000 } }),
  'of another tenant': signed({ claims: { partner: elsewhere.partner.id, org: elsewhere.org.id } }),
  'of another organization of the partner': signed({ claims: { org: here.otherOrg.id } }),
  'of the whole partner': signed({ claims: { scope: 'partner', org: null } }),
  'of the installation': signed({ claims: { scope: 'system', partner: null, org: null } }),
  "of another user's session": signed({ claims: { sub: elsewhere.orgAdmin.userId } }),
  'of a session that does not exist': signed({ claims: { sid: crypto.randomUUID() } }),
  'without a session': signed({ claims: { sid: undefined } }),
  'with a subject of another kind': signed({ claims: { sub: { id: claims.sub } } }),
  'with a scope that does not exist': signed({ claims: { scope: 'root' } }),
  empty: '..',
  'one part': head,
  'four parts': `${valid}.${signature}`,
  'a device certificate': signed({
    header: { typ: 'JWT' },
    claims: { aud: 'muster-ingest', cnf: {} },
    key: createPrivateKey({ format: 'jwk', key: ofDevices }),
  }),
}

/** Copies of the token with one character changed to one that decodes differently, at about 170 positions. */
function mutations(): string[] {
  const step = Math.max(1, Math.floor(valid.length / 170))
  const found: string[] = []
  for (let at = 0; at < valid.length; at += step) {
    const old = valid[at] ?? ''
    if (old === '.') continue
    const bits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const other = bits[(bits.indexOf(old) + 32) % 64] ?? 'A'
    found.push(valid.slice(0, at) + other + valid.slice(at + 1))
  }
  return found
}

const rejection = { status: 401, code: 'UNAUTHENTICATED', message: 'Invalid or expired token' }
const tried = (token: string) => refusal(authenticate(services, requestAs({ token })))

describe('B15', () => {
  it('accepts the token that the forged ones are made from', async () => {
    expect(await authenticate(services, requestAs({ token: valid }))).toMatchObject({ userId: here.orgAdmin.userId })
  })

  it.each(Object.entries(forged))('rejects with 401 and the same message: %s', async (_what, token) => {
    expect(await tried(await token)).toMatchObject(rejection)
  })

  it('rejects a token with any one character changed', async () => {
    const made = mutations()
    expect(made.length).toBeGreaterThan(160)
    for (const token of made) expect([token, await tried(token)]).toMatchObject([token, rejection])
  })

  it('rejects an authorization header without a valid bearer token', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer ', `Basic ${valid}`, `Bearer ${valid} x`, valid, 'Bearer a b']) {
      const request = { ...requestAs(null), header: () => authorization }
      expect(await refusal(authenticate(services, request))).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    }
  })

  it('accepts an older key of the keyring, and rejects a removed one', async () => {
    const { AccessTokens } = await import('@muster/areas/access/auth/sessions/tokens.ts')
    const { createKeyring } = await import('@muster/kit/secrets/keyring.ts')
    const fresh = createKeyring()
    const rotated = new AccessTokens({ ...fresh, accessTokens: [...fresh.accessTokens, ...keyring.accessTokens] })
    expect(await rotated.verify(valid)).toMatchObject({ sub: here.orgAdmin.userId })
    expect(await refusal(new AccessTokens(fresh).verify(valid))).toMatchObject(rejection)
  })
})
