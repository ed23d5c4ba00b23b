import { z } from 'zod'
import { grantCharsMax } from '../grants.ts'
import { frameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { bytesUpTo, duration, freeMap, id, text, time } from '../scalars.ts'
import { sealedBytesMax } from '../sealing.ts'

export const Command = z.object({
  id,
  type: text(64).min(1),
  payload: freeMap,
  timeoutMs: duration.min(1),
  expiresAt: time,
  /** Allows the script of a `run_script`; see grants.ts. */
  grant: text(grantCharsMax).min(1).optional(),
  /** The values of the secrets that a `run_script` names; see sealing.ts. */
  sealed: bytesUpTo(sealedBytesMax).optional(),
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
