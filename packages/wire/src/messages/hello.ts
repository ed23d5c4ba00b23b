import { z } from 'zod'
import { Capabilities } from '../capabilities.ts'
import { bootIdMax, certificateCharsMax, helloFrameBytesMax, sequenceMax, signatureBytes } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { bytes, text } from '../scalars.ts'
import { SealingKeyStatement } from '../sealing.ts'

export const Role = z.enum(['agent', 'watchdog'])
export type Role = z.infer<typeof Role>

export const Hello = z.object({
  protocol: z.int().min(1).max(255),
  certificate: text(certificateCharsMax).min(1),
  signature: bytes(signatureBytes),
  bootId: z.int().min(1).max(bootIdMax),
  agentVersion: text(64).min(1),
  role: Role,
  /** Whether the agent keeps tickets. */
  tickets: z.boolean().optional(),
  /** Serial number of the statement of order keys that the agent trusts. */
  orderKeys: z
    .int()
    .min(0)
    .max(2 ** 31)
    .optional(),
  /** What the agent can do; absent from older agents and from watchdogs. */
  capabilities: Capabilities.optional(),
  /** Revision of the newest assignment that the agent follows; 0 after its start. */
  assignmentRevision: z.int().min(0).max(sequenceMax).optional(),
  /** The key of this run to which secrets are sealed, signed by the device; see sealing.ts. */
  sealingKey: SealingKeyStatement.optional(),
})
export type Hello = z.infer<typeof Hello>

export const hello = defineMessage({
  name: 'hello',
  type: 32,
  meaning: 'The identity of the agent, proved by a signature over the challenge.',
  sequenced: false,
  bytesMax: helloFrameBytesMax,
  body: Hello,
})
