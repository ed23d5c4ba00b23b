import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { duration } from '../scalars.ts'

export const Settings = z.object({ heartbeatMs: duration.min(100).optional(), autoUpdate: z.boolean().optional() })
export type Settings = z.infer<typeof Settings>

export const settings = defineMessage({
  name: 'settings',
  type: 10,
  meaning: 'Settings to keep across restarts; absent fields stay unchanged.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Settings,
})
