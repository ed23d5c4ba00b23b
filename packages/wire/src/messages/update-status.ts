import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { text } from '../scalars.ts'

export const UpdateStatus = z.object({
  version: text(64).min(1),
  state: z.enum(['downloading', 'verifying', 'installing', 'restarting', 'confirmed', 'rolled_back', 'refused']),
  error: text(2000).optional(),
})
export type UpdateStatus = z.infer<typeof UpdateStatus>

export const updateStatus = defineMessage({
  name: 'updateStatus',
  type: 37,
  meaning: 'How far the agent is with replacing itself.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: UpdateStatus,
})
