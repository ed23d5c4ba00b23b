import { type KeyObject, sign } from 'node:crypto'
import { join } from 'node:path'
import { proofBytes } from '@muster/wire/identity.ts'
import { readIfPresent, writeDurably } from '../durable-file.ts'
import { type Enrolment, Identity, isFor, publicHalf, readOrCreateKey } from '../identity.ts'

const keyFile = 'watchdog.key'
const certificateFile = 'watchdog.certificate'

/** The watchdog's own key and the certificate for it. The agent asks for the certificate, because only it can. */
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

  /** The key for which a certificate is wanted, undefined when there is one for this device. */
  async wanting(deviceId: string): Promise<string | undefined> {
    const held = await readIfPresent(join(this.#directory, certificateFile))
    const publicKey = publicHalf(this.#key)
    return held !== undefined && isFor(held, deviceId, publicKey) ? undefined : publicKey
  }

  /** @returns whether the certificate is for this key and device */
  async store(certificate: string, deviceId: string): Promise<boolean> {
    if (!isFor(certificate, deviceId, publicHalf(this.#key))) return false
    await writeDurably(join(this.#directory, certificateFile), certificate)
    return true
  }

  /** With what the watchdog proves itself: its own certificate, or the agent's as long as it has none. */
  async proof(): Promise<Proof | undefined> {
    const { enrolment, prove } = (await readIdentity(this.#directory)) ?? {}
    if (enrolment === undefined || prove === undefined) return undefined
    const certificate = await readIfPresent(join(this.#directory, certificateFile))
    if (certificate === undefined || !isFor(certificate, enrolment.deviceId, publicHalf(this.#key)))
      return { enrolment, certificate: enrolment.certificate, prove }
    return { enrolment, certificate, prove: (nonce, text) => sign(null, proofBytes(nonce, text), this.#key) }
  }
}

export interface Proof {
  enrolment: Enrolment
  certificate: string
  prove(nonce: Uint8Array, certificate: string): Uint8Array
}

/** The agent's identity, once it is enrolled: before that it would be made by reading it. */
async function readIdentity(directory: string) {
  if ((await readIfPresent(join(directory, 'enrolment.json'))) === undefined) return undefined
  const identity = await Identity.open(directory)
  return { enrolment: identity.enrolment, prove: identity.prove.bind(identity) }
}
