import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest()
const base64url = (data: Uint8Array) => Buffer.from(data).toString('base64url')

// The part of CBOR that a key and an attestation need.
function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
const integer = (n: number) => (n >= 0 ? head(0, n) : head(1, -1 - n))
const bytes = (data: Uint8Array) => Buffer.concat([head(2, data.length), data])
const text = (plain: string) => Buffer.concat([head(3, Buffer.byteLength(plain)), Buffer.from(plain)])
const map = (...pairs: [Buffer, Buffer][]) => Buffer.concat([head(5, pairs.length), ...pairs.flat()])

const present = 0x01
const verified = 0x04
const attested = 0x40

interface Given {
  readonly challenge: string
  readonly [name: string]: unknown
}

/** A simulated device with one passkey: it creates a key, counts and signs. */
export class Authenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly id = randomBytes(32)
  readonly origin: string
  readonly rpId: string
  /** Whether the device verifies its user. */
  verifies = true
  counter = 0
  #userHandle = ''

  constructor(origin: string, rpId: string) {
    this.origin = origin
    this.rpId = rpId
  }

  /** What `navigator.credentials.create` answers. */
  create(options: Given) {
    const user = options.user
    if (user !== null && typeof user === 'object' && 'id' in user) this.#userHandle = String(user.id)
    const length = Buffer.from([0, this.id.length])
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, coseKey(this.#keys.publicKey)])
    const authData = Buffer.concat([this.#authData(attested), credential])
    const attestation = map([text('fmt'), text('none')], [text('attStmt'), map()], [text('authData'), bytes(authData)])
    return this.#answer({
      clientDataJSON: base64url(this.#clientData('webauthn.create', options.challenge)),
      attestationObject: base64url(attestation),
      transports: ['internal'],
    })
  }

  /** What `navigator.credentials.get` answers. */
  get(options: Given) {
    this.counter += 1
    const authData = this.#authData(0)
    const clientData = this.#clientData('webauthn.get', options.challenge)
    const signed = Buffer.concat([authData, sha256(clientData)])
    return this.#answer({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: base64url(createSign('sha256').update(signed).sign(this.#keys.privateKey)),
      userHandle: this.#userHandle,
    })
  }

  #answer<R extends object>(response: R) {
    const id = base64url(this.id)
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {}, response }
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }))
  }

  #authData(more: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const flags = present | (this.verifies ? verified : 0) | more
    return Buffer.concat([sha256(this.rpId), Buffer.from([flags]), counter])
  }
}

function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return map(
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, 'base64url'))],
    [integer(-3), bytes(Buffer.from(y, 'base64url'))],
  )
}
