import { z } from 'zod'
import { smallFrameBytesMax, ticketBytesMax, ticketSecretBytes } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { bytes, bytesUpTo } from '../scalars.ts'

export const Ticket = z.object({
  /** Opaque to the agent. */
  ticket: bytesUpTo(ticketBytesMax),
  secret: bytes(ticketSecretBytes),
})
export type Ticket = z.infer<typeof Ticket>

export const ticket = defineMessage({
  name: 'ticket',
  type: 12,
  meaning: 'With what the agent may come back without a signature; it replaces the one before.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Ticket,
})
