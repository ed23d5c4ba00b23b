import type { ObjectStore } from '@muster/files/object-store.ts'
import { storeOf, storeSettings } from '@muster/releases/config.ts'
import { type ReleaseKey, readReleaseKey } from '@muster/releases/keys.ts'
import { z } from 'zod'

/** Where the executables of agents come from. */
export interface ReleaseSource {
  /** From the release host, or from this installation. */
  readonly source: 'upstream' | 'local'
  /** The URL of a host with an API like GitHub's: `https://api.github.com/repos/<owner>/<name>`. */
  readonly upstreamUrl: string | null
  readonly upstreamToken: string | null
  /** Networks that are not public in which the host is allowed. */
  readonly allowedNetworks: readonly string[]
}

declare module '../../services.ts' {
  interface Settings {
    /** Where the executables of agents come from. */
    readonly releases?: ReleaseSource
  }
}
declare module '../../background/worker-parts.ts' {
  interface BackgroundSettings {
    /** The store of signed agent releases; null if there is none. */
    readonly releases: {
      readonly store: ObjectStore
      readonly source: ReleaseSource
      /** Renews the timestamp of the releases. */
      readonly onlineKey: ReleaseKey | null
    } | null
  }
}

export const environment = {
  ...storeSettings,
  BINARY_SOURCE: z.enum(['upstream', 'local']).default('upstream'),
  /** A host with an API like GitHub's. */
  RELEASES_UPSTREAM_URL: z
    .url({ protocol: /^https?$/, error: 'must look like https://api.github.com/repos/<owner>/<name>' })
    .optional(),
  RELEASES_UPSTREAM_TOKEN: z.string().optional(),
}
const Given = z.object(environment)

const sourceOf = (given: z.output<typeof Given>): ReleaseSource => ({
  source: given.BINARY_SOURCE,
  upstreamUrl: given.RELEASES_UPSTREAM_URL ?? null,
  upstreamToken: given.RELEASES_UPSTREAM_TOKEN ?? null,
  allowedNetworks: given.RELEASES_ALLOWED_NETWORKS,
})

export const settingsOf = (given: z.output<typeof Given>) => ({ releases: sourceOf(given) })

export const workerEnvironment = {
  ...environment,
  /** With it, this worker renews the timestamp of the releases. */
  RELEASE_ONLINE_KEY_FILE: z.string().optional(),
}
const GivenToWorker = z.object(workerEnvironment)

export function workerSettingsOf(given: z.output<typeof GivenToWorker>) {
  const store = storeOf(given)
  const file = given.RELEASE_ONLINE_KEY_FILE
  const onlineKey = file === undefined ? null : readReleaseKey(file)
  return { releases: store && { store, source: sourceOf(given), onlineKey } }
}
