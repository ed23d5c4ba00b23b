import { wholeNumber } from '@muster/kit/config.ts'
import { z } from 'zod'

declare module '../../services.ts' {
  interface Settings {
    /** The number of streams into which ingest puts the messages of agents. Default: 8. */
    readonly streamShards?: number
  }
}

/** The same number as ingest and workers have. */
export const environment = { STREAM_SHARDS: wholeNumber(1, 1024, 8) }
const Given = z.object(environment)

export const settingsOf = (given: z.output<typeof Given>) => ({ streamShards: given.STREAM_SHARDS })
