import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { deviceIdBytes, deviceIdFromBytes, writeDeviceId } from '@muster/backplane/device-id.ts'
import type { SymmetricKey } from '@muster/kit/secrets/keyring.ts'
import type { Role } from '@muster/wire/messages/hello.ts'
import type { Resume } from '@muster/wire/messages/resume.ts'
import type { Ticket } from '@muster/wire/messages/ticket.ts'
import { resumptionProof } from '@muster/wire/resumption.ts'
import type { Identity } from './certificate.ts'
import type { Limits } from './limits.ts'

/*
 * A ticket repeats the certificate's content under a MAC of this installation and is stored nowhere: every process with the
 * key can check it, and derives from its bytes the secret that the agent was given with it.
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

/** The identity in a ticket, and its age: a ticket under an older key counts as too old to keep. */
export interface Resumed {
  identity: Identity
  ageMs: number
}

interface TicketKey {
  tag: Buffer
  mac: KeyObject
  secret: KeyObject
}

/** Issues tickets for reconnecting, and checks them. */
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

  /** A ticket for a device in a role; undefined when this process has no ticket key. */
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

  /** The identity in the ticket; undefined when the ticket or the proof is invalid. The caller checks the certificate's expiry. */
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
