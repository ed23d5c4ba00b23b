import { z } from 'zod'
import { frameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { freeMap, someBytes, text } from '../scalars.ts'

export const Reply = z.object({
  status: z.enum(['completed', 'failed']),
  result: freeMap.optional(),
  error: text(2000).optional(),
  data: someBytes.optional(),
})
export type Reply = z.infer<typeof Reply>

export const reply = defineMessage({
  name: 'reply',
  type: 40,
  meaning: 'The outcome of the request with this number. It is neither acknowledged nor sent again.',
  sequenced: true,
  bytesMax: frameBytesMax,
  body: Reply,
})
