import { z } from 'zod'
import { nonceBytes, smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { bytes, time } from '../scalars.ts'

export const Challenge = z.object({
  nonce: bytes(nonceBytes),
  protocols: z.array(z.int().min(1)).min(1).max(16),
  serverTime: time,
  /** Whether the server gives tickets to agents that keep them, and accepts them. */
  tickets: z.boolean().optional(),
})
export type Challenge = z.infer<typeof Challenge>

export const challenge = defineMessage({
  name: 'challenge',
  type: 1,
  meaning: 'First message on every socket: what the agent has to sign.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Challenge,
})
