import { resolve } from 'node:path'
import { z } from 'zod'
import { DiskStore, type ReleaseStore } from './store.ts'

/** The settings that say where releases lie, to be spread into those of a process. */
export const storeSettings = {
  /** A folder of this machine, shared by all processes that serve or sign releases. */
  RELEASES_DIR: z.string().optional(),
}

/** The settings of the signing tool. */
export const releaseSettings = z.object({ ...storeSettings, RELEASE_PASSPHRASE: z.string().optional() })

/** The place that the settings name; null when they name none. */
export function storeOf({ RELEASES_DIR }: { RELEASES_DIR?: string | undefined }): ReleaseStore | null {
  return RELEASES_DIR === undefined ? null : new DiskStore(resolve(RELEASES_DIR))
}
