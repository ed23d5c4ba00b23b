import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deviceIdBytes, deviceIdFromBytes, writeDeviceId } from '@muster/backplane/device-id.ts'
import type { SymmetricKey } from '@muster/kit/keyring.ts'
import type { Role } from '@muster/wire/messages/hello.ts'
import type { Resume } from '@muster/wire/messages/resume.ts'
import type { Ticket } from '@muster/wire/messages/ticket.ts'
import { resumptionProof } from '@muster/wire/resumption.ts'
import type { Identity } from './certificate.ts'
import type { Limits } from './limits.ts'

/*
 * A ticket says what a certificate said, under a MAC of this installation, and stands nowhere: every process that holds the
 * key can check it, and derives from its bytes the secret that the agent was given along with it.
 */

const format = 1
const keyTagBytes = 4
const deviceIdAt = 1 + keyTagBytes
const roleAt = deviceIdAt + deviceIdBytes
const generationAt = roleAt + 1
const issuedAt = generationAt + 4
const expiresAt = issuedAt + 6
const macAt = expiresAt + 6
const macBytes = 32
const ticketBytes = macAt + macBytes
const roles: readonly Role[] = ['agent', 'watchdog']

/** Who came back with a ticket, and how old that was: one under an older key counts as too old to go on with. */
export interface Resumed {
  identity: Identity
  ageMs: number
}

interface TicketKey {
  tag: Buffer
  mac: KeyObject
  secret: KeyObject
}

/** Gives agents tickets to come back with, and checks those that come. */
export class Tickets {
  /** Newest first. */
  readonly #keys: readonly TicketKey[]
  readonly #lifeMs: number

  constructor(keys: readonly SymmetricKey[], { ticketLifeMs }: Pick<Limits, 'ticketLifeMs'>) {
    this.#keys = keys.map(ticketKey)
    this.#lifeMs = ticketLifeMs
  }

  /** Without a key there are no tickets. */
  get isReady(): boolean {
    return this.#keys.length > 0
  }

  /** A ticket for a device in a role, undefined when this process has no key to make one with. */
  issue({ deviceId, generation, expiresAtSeconds }: Identity, role: Role, nowMs: number): Ticket | undefined {
    const [key] = this.#keys
    if (key === undefined) return undefined
    const ticket = Buffer.alloc(ticketBytes)
    ticket[0] = format
    ticket.set(key.tag, 1)
    writeDeviceId(ticket.subarray(deviceIdAt), deviceId)
    ticket[roleAt] = roles.indexOf(role)
    ticket.writeUInt32BE(generation, generationAt)
    ticket.writeUIntBE(Math.floor(nowMs / 1000), issuedAt, 6)
    ticket.writeUIntBE(Math.min(expiresAtSeconds, 2 ** 48 - 1), expiresAt, 6)
    ticket.set(hmac(key.mac, ticket.subarray(0, macAt)), macAt)
    return { ticket, secret: hmac(key.secret, ticket) }
  }

  /** Who comes back, undefined when the ticket or the proof is no good. The certificate's expiry is the caller's question. */
  identify(resume: Resume, nonce: Uint8Array, nowMs: number): Resumed | undefined {
    const ticket = Buffer.from(resume.ticket)
    if (ticket.length !== ticketBytes || ticket[0] !== format) return undefined
    const key = this.#keys.find(({ tag }) => tag.equals(ticket.subarray(1, deviceIdAt)))
    if (key === undefined) return undefined
    if (!timingSafeEqual(hmac(key.mac, ticket.subarray(0, macAt)), ticket.subarray(macAt))) return undefined
    if (!timingSafeEqual(resumptionProof(hmac(key.secret, ticket), nonce, resume), resume.proof)) return undefined
    const ageMs = nowMs - ticket.readUIntBE(issuedAt, 6) * 1000
    if (ageMs > this.#lifeMs || roles[ticket[roleAt] ?? -1] !== resume.role) return undefined
    const identity = {
      deviceId: deviceIdFromBytes(ticket, deviceIdAt),
      generation: ticket.readUInt32BE(generationAt),
      expiresAtSeconds: ticket.readUIntBE(expiresAt, 6),
    }
    return { identity, ageMs: key === this.#keys[0] ? Math.max(0, ageMs) : this.#lifeMs }
  }
}

function ticketKey({ id, key }: SymmetricKey): TicketKey {
  const root = createSecretKey(Buffer.from(key, 'base64url'))
  return {
    tag: createHash('sha256').update(id).digest().subarray(0, keyTagBytes),
    mac: createSecretKey(hmac(root, 'muster ticket mac')),
    secret: createSecretKey(hmac(root, 'muster ticket secret')),
  }
}

function hmac(key: KeyObject, data: Uint8Array | string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}
