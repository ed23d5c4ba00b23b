// Tests for all stores, on a folder and on an object storage.
import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DiskStore } from './disk-store.ts'
import { type ObjectStore, readSmall, replaceWith, type StorageError } from './object-store.ts'
import { S3Store } from './s3-store.ts'
import { S3Server } from './testing/s3-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'muster-files-'))
const server = await S3Server.start()
server.pageSize = 3
afterAll(() => {
  server.stop()
  rmSync(scratch, { recursive: true })
})

const kinds: { kind: string; store: ObjectStore }[] = [
  { kind: 'a folder', store: new DiskStore(join(scratch, 'store')) },
  { kind: 'an object storage', store: new S3Store({ ...server.settings, prefix: 'some/prefix' }) },
]
const bytesMax = 50_000_000
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
async function* body(...pieces: (string | Buffer)[]) {
  for (const piece of pieces) yield Buffer.from(piece)
}
async function* cut(bytes: Buffer) {
  yield bytes
  throw new Error('the sender disconnected')
}
const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => 'stored',
    (error: StorageError) => error.problem ?? error.message,
  )
/** Larger than one part in either store. */
const large = Buffer.alloc(10_000_000, 'The quick brown fox. ')

describe.each(kinds)('objects in $kind', ({ store }) => {
  const keysIn = async (folder: string) => {
    const keys: string[] = []
    for await (const { key } of store.list(folder)) keys.push(key)
    return keys
  }

  it('can be read as a whole, in ranges and by size', async () => {
    const stored = await store.put('a/whole', body('01234', '56789'), { bytesMax })
    expect(stored).toEqual({ size: 10, sha256: sha256(Buffer.from('0123456789')) })
    expect(await store.size('a/whole')).toBe(10)
    expect(String(await readSmall(store, 'a/whole'))).toBe('0123456789')
    const part: Uint8Array[] = []
    for await (const piece of (await store.stream('a/whole', { start: 2, end: 4 })) ?? []) part.push(piece)
    expect(String(Buffer.concat(part))).toBe('234')
    await expect(readSmall(store, 'a/whole', 5)).rejects.toThrow('larger than 5 bytes')
    expect([await store.size('a/none'), await store.stream('a/none'), await store.size('a')]).toEqual([
      null,
      null,
      null,
    ])
  })

  it('can be empty', async () => {
    expect(await store.put('a/empty', body(), { bytesMax })).toEqual({ size: 0, sha256: sha256(Buffer.alloc(0)) })
    expect(await store.size('a/empty')).toBe(0)
  })

  it('stay unchanged when they are stored in several parts', async () => {
    const declared = { size: large.length, sha256: sha256(large) }
    expect(await store.put('a/large', body(large), { bytesMax, ...declared })).toEqual(declared)
    const read = await readSmall(store, 'a/large', bytesMax)
    expect(sha256(read ?? Buffer.alloc(0))).toBe(declared.sha256)
  })

  it.each([
    ['of another hash than declared', 'wrong_hash', body('abc'), { sha256: sha256(Buffer.from('abd')) }],
    [
      'of another hash than declared, in several pieces',
      'wrong_hash',
      body(large),
      { sha256: sha256(Buffer.alloc(1)) },
    ],
    ['shorter than declared', 'wrong_size', body('abc'), { size: 4 }],
    ['longer than declared', 'wrong_size', body('abc', 'de'), { size: 4 }],
    ['larger than the limit', 'too_large', body('abc', 'de'), { bytesMax: 4 }],
    ['larger than the limit, in several pieces', 'too_large', body(large, 'a'), { bytesMax: large.length }],
    ['cut off', 'the sender disconnected', cut(Buffer.from('abc')), {}],
    ['cut off, in several pieces', 'the sender disconnected', cut(large), {}],
  ])('are rejected when they are %s, and leave nothing', async (_words, problem, bytes, options) => {
    expect(await problemOf(store.put('b/refused', bytes, { bytesMax, ...options }))).toBe(problem)
    expect(await store.size('b/refused')).toBeNull()
    expect(await keysIn('b')).toEqual([])
    expect(await store.removeUnfinished(new Date(Date.now() + 60_000))).toBe(0)
    expect(server.uploads.size).toBe(0)
  })

  it.each([
    ['small', '1', '2'],
    ['large', large, Buffer.concat([large, large.subarray(0, 10)])],
  ])('are stored once when several writers store %s ones under one key', async (words, first, second) => {
    const key = `c/${words}`
    const outcomes = await Promise.all(
      [first, second, first, second].map((bytes) => problemOf(store.put(key, body(bytes), { bytesMax }))),
    )
    expect(outcomes.sort()).toEqual(['exists', 'exists', 'exists', 'stored'])
    const read = await readSmall(store, key, bytesMax)
    expect([Buffer.from(first), Buffer.from(second)].some((bytes) => read?.equals(bytes))).toBe(true)
    expect(await problemOf(store.put(key, body('3'), { bytesMax }))).toBe('exists')
  })

  it('are never visible half-written while they are replaced', async () => {
    const [small, other] = [Buffer.alloc(1_000_000, 'a'), Buffer.alloc(9_000_000, 'b')]
    await replaceWith(store, 'd/replaced', small)
    const writing = (async () => {
      for (const bytes of [other, small, other, small]) await replaceWith(store, 'd/replaced', bytes)
    })()
    let isDone = false
    writing.finally(() => {
      isDone = true
    })
    while (!isDone) {
      const seen = await readSmall(store, 'd/replaced', bytesMax)
      expect(seen?.equals(small) || seen?.equals(other)).toBe(true)
    }
    await writing
  })

  it('are listed by folder, and not listed after their removal', async () => {
    const keys = ['e/1', 'e/2', 'e/3', 'e/4', 'e/f/5']
    for (const key of keys) await store.put(key, body(key), { bytesMax })
    await store.put('ee/1', body('beside'), { bytesMax })
    expect(await keysIn('e')).toEqual(keys)
    expect(await keysIn('')).toEqual(expect.arrayContaining(['a/whole', ...keys, 'ee/1']))
    for (const key of [...keys, 'e/none']) await store.remove(key)
    expect(await keysIn('e')).toEqual([])
    expect(await keysIn('none')).toEqual([])
    await store.put('e/f/5', body('again'), { bytesMax })
    expect(await keysIn('e')).toEqual(['e/f/5'])
  })

  it('cannot have a key outside of the store', async () => {
    for (const wrong of ['../x', '/etc/passwd', 'a//b', 'a/../b', '.hidden', 'a/.', 'a\0b', '']) {
      await expect(store.put(wrong, body(''), { bytesMax })).rejects.toThrow('Invalid object key')
      await expect(store.stream(wrong)).rejects.toThrow('Invalid object key')
      await expect(store.remove(wrong)).rejects.toThrow('Invalid object key')
    }
  })

  it('of 200 MB are transferred with little memory', async () => {
    const chunk = Buffer.alloc(100_000, 'x')
    let peak = 0
    const used = () => {
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    }
    const before = used()
    const key = `g/huge-${randomUUID()}`
    async function* stream() {
      for (let sent = 0; sent < 200_000_000; sent += chunk.length) {
        peak = Math.max(peak, used() - before)
        yield Buffer.from(chunk)
      }
    }
    server.forgets = true
    const put = store.put(key, stream(), { bytesMax: 200_000_000 })
    const { size } = await put.finally(() => {
      server.forgets = false
    })
    expect(size).toBe(200_000_000)
    expect(peak).toBeLessThan(100_000_000)
    for await (const _piece of (await store.stream(key)) ?? []) peak = Math.max(peak, used() - before)
    expect(peak).toBeLessThan(100_000_000)
    await store.remove(key)
  })
})
