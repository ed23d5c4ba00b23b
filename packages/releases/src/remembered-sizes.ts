import type { ObjectStore } from '@muster/files/object-store.ts'

const sizeMemoryMs = 5_000
const sizesRemembered = 1_000

/**
 * Caches sizes briefly: releases are served without a credential, and each request for a size costs one request to the
 * object store.
 */
export function rememberingSizes(store: ObjectStore): ObjectStore {
  const sizes = new Map<string, { readonly askedAt: number; readonly size: Promise<number | null> }>()
  const ask = (key: string) => {
    const size = store.size(key)
    sizes.delete(key)
    sizes.set(key, { askedAt: Date.now(), size })
    const [oldest] = sizes.keys()
    if (sizes.size > sizesRemembered && oldest !== undefined) sizes.delete(oldest)
    const forget = () => {
      if (sizes.get(key)?.size === size) sizes.delete(key)
    }
    // Not cached when missing: the object may be written at any time.
    size.then((found) => found === null && forget(), forget)
    return size
  }
  return {
    size(key) {
      const known = sizes.get(key)
      return known !== undefined && known.askedAt > Date.now() - sizeMemoryMs ? known.size : ask(key)
    },
    put(key, body, options) {
      sizes.delete(key)
      return store.put(key, body, options).finally(() => sizes.delete(key))
    },
    async remove(key) {
      await store.remove(key)
      sizes.delete(key)
    },
    stream: (key, range) => store.stream(key, range),
    list: (folder) => store.list(folder),
    removeUnfinished: (before) => store.removeUnfinished(before),
  }
}
