import { z } from 'zod'
import { outputChunkCharsMax, smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { byteCount, id, text } from '../scalars.ts'

export const Progress = z.object({
  commandId: id,
  state: z.literal('running'),
  output: text(outputChunkCharsMax).optional(),
  stream: z.enum(['stdout', 'stderr']).optional(),
  offset: byteCount.optional(),
})
export type Progress = z.infer<typeof Progress>

export const progress = defineMessage({
  name: 'progress',
  type: 35,
  meaning: 'The command is running; may carry a chunk of its output.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: Progress,
})
