import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { id } from '../scalars.ts'

export const Cancel = z.object({ id })
export type Cancel = z.infer<typeof Cancel>

export const cancel = defineMessage({
  name: 'cancel',
  type: 5,
  meaning: 'Stop the command with this id if it has not finished.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Cancel,
})
