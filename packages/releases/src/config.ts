import type { ObjectStore } from '@muster/files/object-store.ts'
import { storeAt } from '@muster/files/store-location.ts'
import { z } from 'zod'
import { rememberingSizes } from './remembered-sizes.ts'

const networks = z.string().transform((text) => text.split(',').filter((network) => network !== ''))

/** The settings for the location of releases, to be included in those of a process. */
export const storeSettings = {
  /** A local folder, shared by all processes that serve or sign releases. */
  RELEASES_DIR: z.string().optional(),
  /** An object store instead: address of the bucket, with an optional prefix. */
  RELEASES_S3_URL: z.url({ protocol: /^https?$/, error: 'must look like https://s3.example.com/bucket' }).optional(),
  RELEASES_S3_REGION: z.string().default('us-east-1'),
  RELEASES_S3_ACCESS_KEY: z.string().default(''),
  RELEASES_S3_SECRET_KEY: z.string().default(''),
  /** Private networks in which the object store or the release host may be, comma separated. */
  RELEASES_ALLOWED_NETWORKS: networks.default([]),
}

const Store = z.object(storeSettings)
type StoreSettings = z.output<typeof Store>

/** The settings of the signing tool. */
export const releaseSettings = Store.extend({ RELEASE_PASSPHRASE: z.string().optional() })

/** The object store in the settings; null without one. */
export function storeOf(settings: StoreSettings): ObjectStore | null {
  const store = storeAt({
    folder: settings.RELEASES_DIR,
    url: settings.RELEASES_S3_URL,
    region: settings.RELEASES_S3_REGION,
    accessKey: settings.RELEASES_S3_ACCESS_KEY,
    secretKey: settings.RELEASES_S3_SECRET_KEY,
    allowedNetworks: settings.RELEASES_ALLOWED_NETWORKS,
  })
  return store && rememberingSizes(store)
}
