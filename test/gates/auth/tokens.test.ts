// Case B15: access tokens that somebody made, changed or took from elsewhere.
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
/** Signed as ours are, but for what is said otherwise. */
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
  'signature of nothing': `${head}.${body}`,
  'public key as a shared secret': hmac('HS256', 'sha256', publicPem),
  'public key as a longer shared secret': hmac('HS512', 'sha512', publicPem),
  'key id as a shared secret': hmac('HS256', 'sha256', signing.kid),
  'said to be RSA': `${encode({ ...header, alg: 'RS256' })}.${body}.${signature}`,
  'said to be another curve': `${encode({ ...header, alg: 'ES256' })}.${body}.${signature}`,
  "a stranger's key": signed({ key: stranger }),
  'a key that devices are certified with': signed({
    key: createPrivateKey({ format: 'jwk', key: ofDevices }),
    header: { kid: ofDevices.kid },
  }),
  'a key that it brings itself': signed({
    key: stranger,
    header: { jwk: createPublicKey(stranger).export({ format: 'jwk' }) },
  }),
  'a key at an address': signed({
    key: stranger,
    header: { jku: 'https://evil.example/jwks.json', x5u: 'https://evil.example' },
  }),
  'a key id that is a path': signed({ header: { kid: '../../../dev/null' } }),
  'a key id that is a query': signed({ header: { kid: "' OR 1=1 --" } }),
  'a key id that every object has': signed({ header: { kid: 'constructor' } }),
  'an extension that it calls critical': `${encode({ ...header, crit: ['exp'], b64: false })}.${body}.${signature}`,
  'for agents': signed({ claims: { aud: 'muster-ingest' } }),
  'for nobody': signed({ claims: { aud: undefined } }),
  'from another issuer': signed({ claims: { iss: 'https://evil.example' } }),
  'of another type': signed({ header: { typ: 'JWT' } }),
  'of no type': signed({ header: { typ: undefined } }),
  expired: signed({ claims: { exp: now - 60 } }),
  'without an end': signed({ claims: { exp: undefined } }),
  'from the future': signed({ claims: { iat: now + 3_600, exp: now + 7_200 } }),
  'not yet good': signed({ claims: { nbf: now + 3_600 } }),
  'good for ten years': signed({ claims: { iat: now - 86_400, exp: now + 315_360_000 } }),
  'of another tenant': signed({ claims: { partner: elsewhere.partner.id, org: elsewhere.org.id } }),
  'of another organisation of the partner': signed({ claims: { org: here.otherOrg.id } }),
  'of the whole partner': signed({ claims: { scope: 'partner', org: null } }),
  'of the installation': signed({ claims: { scope: 'system', partner: null, org: null } }),
  "of somebody else's session": signed({ claims: { sub: elsewhere.orgAdmin.userId } }),
  'of a session that there is not': signed({ claims: { sid: crypto.randomUUID() } }),
  'without a session': signed({ claims: { sid: undefined } }),
  'with a subject of another kind': signed({ claims: { sub: { id: claims.sub } } }),
  'with a scope that there is not': signed({ claims: { scope: 'root' } }),
  empty: '..',
  'one part': head,
  'four parts': `${valid}.${signature}`,
  'a device certificate in its place': signed({
    header: { typ: 'JWT' },
    claims: { aud: 'muster-ingest', cnf: {} },
    key: createPrivateKey({ format: 'jwk', key: ofDevices }),
  }),
}

/** Every place of the token once, one character changed to another that means something else. */
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

const told = { status: 401, code: 'UNAUTHENTICATED', message: 'Invalid or expired token' }
const tried = (token: string) => refusal(authenticate(services, requestAs({ token })))

describe('B15', () => {
  it('the token that the others are made from is good', async () => {
    expect(await authenticate(services, requestAs({ token: valid }))).toMatchObject({ userId: here.orgAdmin.userId })
  })

  it.each(Object.entries(forged))('%s: 401, in the same words', async (_what, token) => {
    expect(await tried(await token)).toMatchObject(told)
  })

  it('each of its characters counts', async () => {
    const made = mutations()
    expect(made.length).toBeGreaterThan(160)
    for (const token of made) expect([token, await tried(token)]).toMatchObject([token, told])
  })

  it('a header that is no bearer token is refused as well', async () => {
    for (const authorization of ['', 'Bearer', 'Bearer ', `Basic ${valid}`, `Bearer ${valid} x`, valid, 'Bearer a b']) {
      const request = { ...requestAs(null), header: () => authorization }
      expect(await refusal(authenticate(services, request))).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    }
  })

  it('an older key of the ring still verifies, one taken out does not', async () => {
    const { AccessTokens } = await import('@muster/areas/access/auth/sessions/tokens.ts')
    const { createKeyring } = await import('@muster/kit/keyring.ts')
    const fresh = createKeyring()
    const rotated = new AccessTokens({ ...fresh, accessTokens: [...fresh.accessTokens, ...keyring.accessTokens] })
    expect(await rotated.verify(valid)).toMatchObject({ sub: here.orgAdmin.userId })
    expect(await refusal(new AccessTokens(fresh).verify(valid))).toMatchObject(told)
  })
})
