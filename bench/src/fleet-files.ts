import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { proofBytes } from '@muster/wire/identity.ts'
import { z } from 'zod'

/*
 * The identities of the benchmark agents. IDs follow from an index; keys and certificates are created once and kept in
 * files: a seed of 32 bytes and a certificate of fixed length per agent, so that each client process reads its part.
 */

export const seedBytes = 32
const FleetIndex = z.object({ keyId: z.string(), madeAt: z.number(), agents: z.int(), certificateChars: z.int() })
export type FleetIndex = z.infer<typeof FleetIndex>

export const fleetPaths = (folder: string) => ({
  index: join(folder, 'fleet.json'),
  seeds: join(folder, 'fleet-seeds.bin'),
  certificates: join(folder, 'fleet-certificates.txt'),
})

export function readFleetIndex(folder: string): FleetIndex | undefined {
  try {
    return FleetIndex.parse(JSON.parse(readFileSync(fleetPaths(folder).index, 'utf8')))
  } catch {
    return undefined
  }
}

/** An ID that looks random and follows from its kind and index. */
export function idOf(kind: 'device' | 'org' | 'partner' | 'site', index: number): string {
  const hex = createHash('sha256').update(`muster-bench ${kind} ${index}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const orgCount = 200
const partnerCount = 20
export const fleetTenants = { orgs: orgCount, partners: partnerCount } as const

/** The tenant of an agent: agents are spread evenly over organizations, those over partners. */
export function tenantOf(agent: number): { org: number; partner: number } {
  const org = agent % orgCount
  return { org, partner: org % partnerCount }
}

// DER of a PKCS#8 Ed25519 key up to the seed.
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export function keyOfSeed(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
}

/** Keys and certificates of consecutive agents, in two buffers. */
export class Credentials {
  readonly #seeds: Buffer
  readonly #certificates: Buffer
  readonly #certificateChars: number

  constructor(folder: string, first: number, agents: number) {
    const index = readFleetIndex(folder)
    if (index === undefined || index.agents < first + agents) throw new Error(`No such agents in ${folder}`)
    this.#certificateChars = index.certificateChars
    const paths = fleetPaths(folder)
    this.#seeds = readPart(paths.seeds, first * seedBytes, agents * seedBytes)
    this.#certificates = readPart(paths.certificates, first * index.certificateChars, agents * index.certificateChars)
  }

  certificate(agent: number): string {
    const from = agent * this.#certificateChars
    return this.#certificates.toString('latin1', from, from + this.#certificateChars)
  }

  /** The proof for a socket's nonce. */
  prove(agent: number, nonce: Uint8Array, certificate: string): Buffer {
    const seed = this.#seeds.subarray(agent * seedBytes, (agent + 1) * seedBytes)
    return sign(null, proofBytes(nonce, certificate), keyOfSeed(seed))
  }
}

function readPart(path: string, from: number, length: number): Buffer {
  const part = Buffer.alloc(length)
  const file = openSync(path, 'r')
  try {
    if (readSync(file, part, 0, length, from) !== length) throw new Error(`${path} is shorter than its index says`)
    return part
  } finally {
    closeSync(file)
  }
}
