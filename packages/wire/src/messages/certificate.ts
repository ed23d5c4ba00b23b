import { z } from 'zod'
import { certificateCharsMax, smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { text } from '../scalars.ts'
import { Role } from './hello.ts'

export const Certificate = z.object({
  certificate: text(certificateCharsMax).min(1),
  /** Whose it is: of the agent, unless it says `watchdog`. */
  role: Role.optional(),
})
export type Certificate = z.infer<typeof Certificate>

export const certificate = defineMessage({
  name: 'certificate',
  type: 9,
  meaning: 'A new certificate: store it in place of the old one of that role.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Certificate,
})
