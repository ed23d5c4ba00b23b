import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyring, type DeviceKeyring, deviceKeyring, rotateKeyring } from '@muster/kit/secrets/keyring.ts'
import { certificateAudience, certificateIssuer } from '@muster/wire/identity.ts'

/** An enrolled device: what an agent keeps after enrollment. */
export interface Device {
  deviceId: string
  certificate: string
  privateKey: KeyObject
}

export interface DeviceOptions {
  deviceId?: string
  generation?: number
  role?: 'agent' | 'watchdog'
  expiresInSeconds?: number
  /** Changes the claims before they are signed. */
  claims?: object
  header?: object
}

/** Real keys and certificates for the devices of a test. */
export interface Fleet {
  keysFile: string
  keys: DeviceKeyring
  /** Writes another key file beside it, with other contents. */
  writeKeys(name: string, keys: DeviceKeyring): string
  enroll(options?: DeviceOptions): Device
  /** Rotates the order key: another key signs from now on, and the key file states it. */
  rotateOrders(): void
  remove(): void
}

export function createFleet(): Fleet {
  const keyring = createKeyring()
  const dir = mkdtempSync(join(tmpdir(), 'muster-keys-'))
  const keys = deviceKeyring(keyring)
  const writeKeys = (name: string, content: DeviceKeyring) => {
    writeFileSync(join(dir, name), JSON.stringify(content))
    return join(dir, name)
  }
  const keysFile = writeKeys('device-keys.json', keys)
  const [signer] = keyring.deviceCertificates
  if (signer === undefined) throw new Error('The keyring has no key')
  const signingKey = createPrivateKey({ key: { ...signer }, format: 'jwk' })

  function enroll(options: DeviceOptions = {}): Device {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const { deviceId = randomUUID(), generation = 1, role = 'agent', expiresInSeconds = 3600 } = options
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: certificateIssuer,
      aud: certificateAudience,
      sub: deviceId,
      org: randomUUID(),
      partner: randomUUID(),
      gen: generation,
      role,
      cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: publicKey.export({ format: 'jwk' }).x } },
      iat: now,
      exp: now + expiresInSeconds,
      ...options.claims,
    }
    const signed = `${encode({ alg: 'EdDSA', kid: signer?.kid, ...options.header })}.${encode(claims)}`
    const certificate = `${signed}.${sign(null, Buffer.from(signed), signingKey).toString('base64url')}`
    return { deviceId, certificate, privateKey }
  }

  const rotateOrders = () => void writeKeys('device-keys.json', deviceKeyring(rotateKeyring(keyring, 'orders')))
  return {
    keysFile,
    keys,
    writeKeys,
    enroll,
    rotateOrders,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
