import { filesSettings, filesStoreOf } from '@muster/files/config.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import { z } from 'zod'

declare module '../../background/worker-parts.ts' {
  interface BackgroundSettings {
    /** The store of files; null if there is none. */
    readonly files: ObjectStore | null
  }
}

export const workerEnvironment = filesSettings
const GivenToWorker = z.object(workerEnvironment)

export const workerSettingsOf = (given: z.output<typeof GivenToWorker>) => ({ files: filesStoreOf(given) })
