// Content over HTTP: whole, in parts, or not at all when the other side has it already.
import type { RawAnswer, Request } from '../call.ts'

interface ByteRange {
  readonly start: number
  readonly end: number
}

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

export interface Content {
  readonly tag: string
  readonly headers: Readonly<Record<string, string>>
  readonly size: number
  read(range: ByteRange | undefined): RawAnswer['body']
}

/** The whole, the range that is asked for, or nothing when the other side has it. */
export function serveParts(request: Request, { tag, headers: own, size, read }: Content): RawAnswer {
  const etag = `"${tag}"`
  const headers = {
    ...own,
    etag,
    'accept-ranges': 'bytes',
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
