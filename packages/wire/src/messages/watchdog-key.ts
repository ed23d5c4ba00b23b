import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { PublicKey } from '../public-key.ts'

export const WatchdogKey = z.object({
  publicKey: PublicKey,
})
export type WatchdogKey = z.infer<typeof WatchdogKey>

export const watchdogKey = defineMessage({
  name: 'watchdogKey',
  type: 39,
  meaning: 'The agent requests a certificate for the key of its watchdog.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: WatchdogKey,
})
