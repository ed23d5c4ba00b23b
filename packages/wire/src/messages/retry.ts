import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { duration, text } from '../scalars.ts'

export const Retry = z.object({ afterMs: duration, reason: text(200) })
export type Retry = z.infer<typeof Retry>

export const retry = defineMessage({
  name: 'retry',
  type: 7,
  meaning: 'This socket is about to be closed: reconnect after this time.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Retry,
})
