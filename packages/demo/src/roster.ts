import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { proofBytes } from '@muster/wire/identity.ts'
import { z } from 'zod'

const Entry = z.object({
  index: z.int().min(0),
  /** The private key, PKCS#8 in base64. */
  key: z.base64(),
  certificate: z.string(),
})
type Entry = z.infer<typeof Entry>
const Stored = z.object({ agents: z.array(Entry) })

/** The identities of the enrolled simulated agents, stored in a file. */
export class Roster {
  readonly #file: string
  readonly #entries: Map<number, Entry>
  #saving: Promise<void> = Promise.resolve()

  private constructor(file: string, entries: Entry[]) {
    this.#file = file
    this.#entries = new Map(entries.map((entry) => [entry.index, entry]))
  }

  static async open(folder: string): Promise<Roster> {
    const file = join(folder, 'roster.json')
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"agents":[]}'
      throw error
    })
    return new Roster(file, Stored.parse(JSON.parse(text)).agents)
  }

  has(index: number): boolean {
    return this.#entries.has(index)
  }

  certificate(index: number): string {
    return this.#of(index).certificate
  }

  /** The proof of an agent for a socket's nonce. */
  prove(index: number, nonce: Uint8Array): Uint8Array {
    const { key, certificate } = this.#of(index)
    const privateKey = createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' })
    return sign(null, proofBytes(nonce, certificate), privateKey)
  }

  add(index: number, key: KeyObject, certificate: string): void {
    const exported = key.export({ format: 'der', type: 'pkcs8' }).toString('base64')
    this.#entries.set(index, { index, key: exported, certificate })
  }

  renew(index: number, certificate: string): void {
    this.#entries.set(index, { ...this.#of(index), certificate })
  }

  /** Rewrites the file; concurrent calls run one after another. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      const text = JSON.stringify({ agents: [...this.#entries.values()] })
      await writeFile(`${this.#file}.new`, text, { mode: 0o600 })
      await rename(`${this.#file}.new`, this.#file)
    })
    return this.#saving
  }

  #of(index: number): Entry {
    const entry = this.#entries.get(index)
    if (entry === undefined) throw new Error(`machine ${index} has not enrolled`)
    return entry
  }
}

/** A new key, and its public key for enrollment. */
export function newKey(): { key: KeyObject; publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { key: privateKey, publicKey: createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '' }
}
