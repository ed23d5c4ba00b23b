import { resolve } from 'node:path'
import { DiskStore } from './disk-store.ts'
import type { ObjectStore } from './object-store.ts'
import { S3Store } from './s3-store.ts'

/** The location of objects: a folder, or an object storage. */
export interface StoreLocation {
  readonly folder: string | undefined
  readonly url: string | undefined
  readonly prefix?: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
  readonly allowedNetworks: readonly string[]
}

/** Null when neither is given. */
export function storeAt({ folder, url, ...s3 }: StoreLocation): ObjectStore | null {
  if (folder !== undefined) return new DiskStore(resolve(folder))
  return url === undefined ? null : new S3Store({ url, ...s3 })
}
