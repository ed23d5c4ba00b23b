import { createHmac, type KeyObject } from 'node:crypto'
import type { Resume } from './messages/resume.ts'

const context = Buffer.from('muster-resume-1\0')
const nonceAt = context.length
const protocolAt = nonceAt + 32
const roleAt = protocolAt + 1
const bootIdAt = roleAt + 1
const ticketLengthAt = bootIdAt + 6
const ticketAt = ticketLengthAt + 2
const roles = { agent: 0, watchdog: 1 } as const

/**
 * The proof of a `resume`: HMAC-SHA256, with the secret of its ticket, over a fixed prefix, the socket's nonce and all
 * other fields of the message.
 */
export function resumptionProof(
  secret: Uint8Array | KeyObject,
  nonce: Uint8Array,
  { protocol, role, bootId, ticket, agentVersion }: Omit<Resume, 'proof'>,
): Buffer {
  const head = Buffer.alloc(ticketAt)
  head.set(context)
  head.set(nonce, nonceAt)
  head.writeUInt8(protocol, protocolAt)
  head.writeUInt8(roles[role], roleAt)
  head.writeUIntBE(bootId, bootIdAt, 6)
  head.writeUInt16BE(ticket.length, ticketLengthAt)
  return createHmac('sha256', secret).update(head).update(ticket).update(agentVersion).digest()
}
