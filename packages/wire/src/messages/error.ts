import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { text } from '../scalars.ts'

export const Refusal = z.object({ code: text(64), message: text(500) })
export type Refusal = z.infer<typeof Refusal>

export const error = defineMessage({
  name: 'error',
  type: 8,
  meaning: 'An error message, sent before the socket is closed for that error.',
  sequenced: 'optional',
  bytesMax: smallFrameBytesMax,
  body: Refusal,
})
