import { z } from 'zod'
import { frameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { duration, freeMap, someBytes, text } from '../scalars.ts'

export const Request = z.object({
  type: text(64).min(1),
  payload: freeMap,
  timeoutMs: duration.min(1),
  data: someBytes.optional(),
})
export type Request = z.infer<typeof Request>

export const request = defineMessage({
  name: 'request',
  type: 11,
  meaning:
    'Run this now and answer at once with a reply of the same number; the requester waits, and nothing is stored.',
  sequenced: true,
  bytesMax: frameBytesMax,
  body: Request,
})
