import { z } from 'zod'
import { Capabilities } from '../capabilities.ts'
import { bootIdMax, helloFrameBytesMax, resumptionProofBytes, sequenceMax, ticketBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { bytes, bytesUpTo, text } from '../scalars.ts'
import { SealingKeyStatement } from '../sealing.ts'
import { Role } from './hello.ts'

export const Resume = z.object({
  protocol: z.int().min(1).max(255),
  ticket: bytesUpTo(ticketBytesMax),
  proof: bytes(resumptionProofBytes),
  bootId: z.int().min(1).max(bootIdMax),
  agentVersion: text(64).min(1),
  role: Role,
  /** As in `hello`. */
  orderKeys: z
    .int()
    .min(0)
    .max(2 ** 31)
    .optional(),
  /** As in `hello`. */
  capabilities: Capabilities.optional(),
  assignmentRevision: z.int().min(0).max(sequenceMax).optional(),
  /** As in `hello`. */
  sealingKey: SealingKeyStatement.optional(),
})
export type Resume = z.infer<typeof Resume>

export const resume = defineMessage({
  name: 'resume',
  type: 41,
  meaning: 'The identity of the agent, proved by the secret of an earlier ticket.',
  sequenced: false,
  bytesMax: helloFrameBytesMax,
  body: Resume,
})
