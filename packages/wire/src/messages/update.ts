import { z } from 'zod'
import { smallFrameBytesMax } from '../limits.ts'
import { defineMessage } from '../message.ts'
import { byteCount, id, text, time } from '../scalars.ts'

const address = z.url({ protocol: /^https?$/ }).max(2048)

export const Update = z.object({
  version: text(64).min(1),
  url: address,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'SHA-256 in lower-case hexadecimal'),
  size: byteCount,
  /** The location of the signed metadata; its files are fetched from `<metadataUrl>/<name>`. */
  metadataUrl: address.optional(),
  /** Path of the executable among the signed targets: `<version>/<os>-<arch>/muster-agent`. */
  target: text(255).min(1).optional(),
  /** The rollout of this offer; the agent repeats it in updateStatus. */
  rolloutId: id.optional(),
  /** In server time: an offer that was not started by then is dropped. */
  deadline: time.optional(),
})
export type Update = z.infer<typeof Update>

export const update = defineMessage({
  name: 'update',
  type: 6,
  meaning: 'A newer agent version is available.',
  sequenced: false,
  bytesMax: smallFrameBytesMax,
  body: Update,
})
