import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { id } from '../scalars.ts'
import { SealingKeyStatement } from '../sealing.ts'

export const Unopened = z.object({
  commandId: id,
  /** The key to which the secrets have to be sealed, as in `hello`. */
  sealingKey: SealingKeyStatement,
})
export type Unopened = z.infer<typeof Unopened>

export const unopened = defineMessage({
  name: 'unopened',
  type: 44,
  meaning:
    'The secrets of a command are sealed to another key or missing: it was not started and has to be sent again.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: Unopened,
})
