import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { byteCount, text } from '../scalars.ts'

export const Update = z.object({
  version: text(64).min(1),
  url: z.url({ protocol: /^https?$/ }).max(2048),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'SHA-256 in lower-case hexadecimal'),
  size: byteCount,
})
export type Update = z.infer<typeof Update>

export const update = defineMessage({
  name: 'update',
  type: 6,
  meaning: 'A newer agent is available there.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Update,
})
