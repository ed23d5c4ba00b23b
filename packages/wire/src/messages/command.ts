import { z } from 'zod'
import { frameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { duration, freeMap, id, text, time } from '../scalars.ts'

export const Command = z.object({
  id,
  type: text(64).min(1),
  payload: freeMap,
  timeoutMs: duration.min(1),
  expiresAt: time,
})
export type Command = z.infer<typeof Command>

export const command = defineMessage({
  name: 'command',
  type: 4,
  meaning: 'Run this command once; a repeated ID must not run again.',
  sequenced: false,
  bytesMax: frameBytesMax,
  body: Command,
})
