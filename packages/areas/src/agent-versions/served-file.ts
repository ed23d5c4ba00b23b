// Files of releases over HTTP: whole, in parts, or not at all when the other side has them already.
import { createHash } from 'node:crypto'
import type { RawAnswer, Request } from '@muster/kit/call.ts'
import { notFound } from '@muster/kit/errors.ts'
import type { ByteRange, ReleaseStore } from '@muster/releases/store.ts'

export interface ServedFile {
  readonly path: string
  /** What identifies the content: a hash, or what changes with it. */
  readonly tag: string
  /** Whether the content under this address can never change. */
  readonly immutable: boolean
  readonly headers: Readonly<Record<string, string>>
}

const dayInSeconds = 86_400

/** One range of `Range`; null for the whole, which is also the answer to what is no range that we know. */
export function rangeOf(text: string | undefined, size: number): ByteRange | 'none' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(text ?? '') ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start > end || start >= size ? 'none' : { start, end }
}

/** Whether the other side has what bears that tag. */
function isKnown(request: Request, etag: string): boolean {
  const known = request.header('if-none-match')?.split(',') ?? []
  return known.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

interface Content {
  readonly tag: string
  /** Whether the content under this address can never change. */
  readonly immutable: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly size: number
  read(range: ByteRange | undefined): RawAnswer['body']
}

function serve(request: Request, { tag, immutable, headers: own, size, read }: Content): RawAnswer {
  const etag = `"${tag}"`
  const headers = {
    ...own,
    etag,
    'accept-ranges': 'bytes',
    'cache-control': immutable ? `public, max-age=${365 * dayInSeconds}, immutable` : 'no-cache',
    'x-content-type-options': 'nosniff',
  }
  if (isKnown(request, etag)) return { status: 304, headers, body: null }
  const condition = request.header('if-range')
  const range = condition === undefined || condition === etag ? rangeOf(request.header('range'), size) : null
  if (range === 'none') return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: null }
  const body = read(range ?? undefined)
  if (range === null) return { status: 200, headers: { ...headers, 'content-length': String(size) }, body }
  const { start, end } = range
  const part = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': String(end - start + 1) }
  return { status: 206, headers: { ...headers, ...part }, body }
}

/** @returns null when the store has no such file */
export async function serveFile(request: Request, store: ReleaseStore, file: ServedFile): Promise<RawAnswer | null> {
  const size = await store.size(file.path)
  if (size === null) return null
  const open = async (range: ByteRange | undefined) => {
    const body = await store.stream(file.path, range)
    if (body === null) throw notFound('File')
    return body
  }
  return serve(request, { ...file, size, read: (range) => ({ open: () => open(range) }) })
}

/** A small file that is there as a whole, with its hash as its tag. @param immutable whether its address names its content */
export function serveBytes(request: Request, bytes: Buffer, type: string, immutable: boolean): RawAnswer {
  return serve(request, {
    tag: createHash('sha256').update(bytes).digest('hex').slice(0, 32),
    immutable,
    headers: { 'content-type': type },
    size: bytes.length,
    read: (range) => (range === undefined ? bytes : bytes.subarray(range.start, range.end + 1)),
  })
}
