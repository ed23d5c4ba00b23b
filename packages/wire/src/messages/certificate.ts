import { z } from 'zod'
import { certificateCharsMax, smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { text } from '../scalars.ts'
import { Role } from './hello.ts'

export const Certificate = z.object({
  certificate: text(certificateCharsMax).min(1),
  /** The role that the certificate is for: `agent` when absent. */
  role: Role.optional(),
})
export type Certificate = z.infer<typeof Certificate>

export const certificate = defineMessage({
  name: 'certificate',
  type: 9,
  meaning: 'A new certificate: replace the one of that role.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Certificate,
})
