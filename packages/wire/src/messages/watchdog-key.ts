import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'

export const WatchdogKey = z.object({
  /** The raw 32 bytes of an Ed25519 key in base64url, in the one spelling that each key has. */
  publicKey: z.string().regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/),
})
export type WatchdogKey = z.infer<typeof WatchdogKey>

export const watchdogKey = defineMessage({
  name: 'watchdogKey',
  type: 39,
  meaning: 'The agent asks for a certificate with which its watchdog proves a key of its own.',
  sequenced: true,
  bytesMax: smallFrameBytesMax,
  body: WatchdogKey,
})
