import { type KeyObject, sign } from 'node:crypto'
import { join } from 'node:path'
import { proofBytes } from '@muster/wire/identity.ts'
import { readIfPresent, writeDurably } from '../durable-file.ts'
import { type Enrollment, Identity, isCertificateFor, publicKeyOf, readOrCreateKey } from '../identity.ts'

const keyFile = 'watchdog.key'
const certificateFile = 'watchdog.certificate'

/** The watchdog's own key and its certificate. Only the agent can request the certificate. */
export class WatchdogCredential {
  readonly #directory: string
  readonly #key: KeyObject

  private constructor(directory: string, key: KeyObject) {
    this.#directory = directory
    this.#key = key
  }

  get directory(): string {
    return this.#directory
  }

  static async open(directory: string): Promise<WatchdogCredential> {
    return new WatchdogCredential(directory, await readOrCreateKey(join(directory, keyFile)))
  }

  /** The key that needs a certificate; undefined when there is one for this device. */
  async wanting(deviceId: string): Promise<string | undefined> {
    const held = await readIfPresent(join(this.#directory, certificateFile))
    const publicKey = publicKeyOf(this.#key)
    return held !== undefined && isCertificateFor(held, deviceId, publicKey) ? undefined : publicKey
  }

  /** @returns whether the certificate is for this key and device */
  async store(certificate: string, deviceId: string): Promise<boolean> {
    if (!isCertificateFor(certificate, deviceId, publicKeyOf(this.#key))) return false
    await writeDurably(join(this.#directory, certificateFile), certificate)
    return true
  }

  /** The credentials of the watchdog: its own certificate, or the agent's until it has one. */
  async proof(): Promise<Proof | undefined> {
    const { enrollment, prove } = (await readIdentity(this.#directory)) ?? {}
    if (enrollment === undefined || prove === undefined) return undefined
    const certificate = await readIfPresent(join(this.#directory, certificateFile))
    if (certificate === undefined || !isCertificateFor(certificate, enrollment.deviceId, publicKeyOf(this.#key)))
      return { enrollment, certificate: enrollment.certificate, prove }
    return { enrollment, certificate, prove: (nonce, text) => sign(null, proofBytes(nonce, text), this.#key) }
  }
}

export interface Proof {
  enrollment: Enrollment
  certificate: string
  prove(nonce: Uint8Array, certificate: string): Uint8Array
}

/** The agent's identity, once it is enrolled: reading it earlier would create one. */
async function readIdentity(directory: string) {
  if ((await readIfPresent(join(directory, 'enrolment.json'))) === undefined) return undefined
  const identity = await Identity.open(directory)
  return { enrollment: identity.enrollment, prove: identity.prove.bind(identity) }
}
