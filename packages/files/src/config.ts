import { privateNetworks } from '@muster/kit/config.ts'
import { z } from 'zod'
import type { ObjectStore } from './object-store.ts'
import { storeAt } from './store-location.ts'

/** The settings of the file storage, for each process that reads or writes files. */
export const filesSettings = {
  /** A folder of this machine that all processes with access to files share. */
  FILES_DIR: z.string().optional(),
  /** The URL of a bucket, instead of a folder and without a prefix. */
  FILES_S3_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as https://s3.example.com/bucket' })
    .optional(),
  /** The prefix of all object keys. */
  FILES_S3_PREFIX: z.string().default(''),
  FILES_S3_REGION: z.string().default('us-east-1'),
  FILES_S3_ACCESS_KEY: z.string().default(''),
  FILES_S3_SECRET_KEY: z.string().default(''),
  /** Private networks in which the storage is allowed, comma separated. */
  FILES_ALLOWED_NETWORKS: privateNetworks(),
}

const Settings = z.object(filesSettings)

/** Null when no file storage is configured. */
export const filesStoreOf = (settings: z.output<typeof Settings>): ObjectStore | null =>
  storeAt({
    folder: settings.FILES_DIR,
    url: settings.FILES_S3_URL,
    prefix: settings.FILES_S3_PREFIX,
    region: settings.FILES_S3_REGION,
    accessKey: settings.FILES_S3_ACCESS_KEY,
    secretKey: settings.FILES_S3_SECRET_KEY,
    allowedNetworks: settings.FILES_ALLOWED_NETWORKS,
  })
