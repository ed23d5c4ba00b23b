import { privateNetworks } from '@muster/kit/config.ts'
import { z } from 'zod'
import type { ObjectStore } from './object-store.ts'
import { storeAt } from './place.ts'

/** The settings that say where files of tenants are, for every process that reads or writes them. */
export const filesSettings = {
  /** A folder of this machine, shared by all processes that use files. */
  FILES_DIR: z.string().optional(),
  /** An object storage in its place: the address of the bucket, without a prefix. */
  FILES_S3_URL: z.url({ protocol: /^https?$/, error: 'should look like https://s3.example.com/bucket' }).optional(),
  /** Stands before the key of every object. */
  FILES_S3_PREFIX: z.string().default(''),
  FILES_S3_REGION: z.string().default('us-east-1'),
  FILES_S3_ACCESS_KEY: z.string().default(''),
  FILES_S3_SECRET_KEY: z.string().default(''),
  /** Networks that are not public in which the storage may be, comma separated. */
  FILES_ALLOWED_NETWORKS: privateNetworks(),
}

const Settings = z.object(filesSettings)

/** Null where the installation has no place for files. */
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
