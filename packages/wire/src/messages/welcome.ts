import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { duration, id, time } from '../scalars.ts'

export const Welcome = z.object({
  protocol: z.int().min(1),
  deviceId: id,
  heartbeatMs: duration.min(100),
  serverTime: time,
  frameBytesMax: z.int().min(1024),
})
export type Welcome = z.infer<typeof Welcome>

export const welcome = defineMessage({
  name: 'welcome',
  type: 2,
  meaning: 'The hello was accepted: the agent may send.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Welcome,
})
