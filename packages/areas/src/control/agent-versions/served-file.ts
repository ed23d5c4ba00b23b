// Files of releases over HTTP: whole, in ranges, or not modified.
import { createHash } from 'node:crypto'
import type { ByteRange, ObjectStore } from '@muster/files/object-store.ts'
import { serveParts } from '@muster/kit/body/ranges.ts'
import type { RawAnswer, Request } from '@muster/kit/call.ts'
import { notFound } from '@muster/kit/errors.ts'

export interface ServedFile {
  readonly path: string
  /** Identifies the content: a hash, or a value that changes with it. */
  readonly tag: string
  /** Whether the content under this address can never change. */
  readonly immutable: boolean
  readonly headers: Readonly<Record<string, string>>
}

const dayInSeconds = 86_400

const caching = (immutable: boolean) => ({
  'cache-control': immutable ? `public, max-age=${365 * dayInSeconds}, immutable` : 'no-cache',
})

/** @returns null when the store has no such file */
export async function serveFile(request: Request, store: ObjectStore, file: ServedFile): Promise<RawAnswer | null> {
  const size = await store.size(file.path)
  if (size === null) return null
  const open = async (range: ByteRange | undefined) => {
    const body = await store.stream(file.path, range)
    if (body === null) throw notFound('File')
    return body
  }
  const { tag, immutable } = file
  const headers = { ...file.headers, ...caching(immutable) }
  return serveParts(request, { tag, headers, size, read: (range) => ({ open: () => open(range) }) })
}

/** A small file in memory, with its hash as its tag. @param immutable whether the content of this address never changes */
export function serveBytes(request: Request, bytes: Buffer, type: string, immutable: boolean): RawAnswer {
  return serveParts(request, {
    tag: createHash('sha256').update(bytes).digest('hex').slice(0, 32),
    headers: { 'content-type': type, ...caching(immutable) },
    size: bytes.length,
    read: (range) => (range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)),
  })
}
