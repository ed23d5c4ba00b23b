import { z } from 'zod'
import { certificateCharsMax, smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { text } from '../scalars.ts'

export const Certificate = z.object({ certificate: text(certificateCharsMax).min(1) })
export type Certificate = z.infer<typeof Certificate>

export const certificate = defineMessage({
  name: 'certificate',
  type: 9,
  meaning: 'A renewed device certificate: store it in place of the old one.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Certificate,
})
