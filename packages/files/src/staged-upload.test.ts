import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DiskStore } from './disk-store.ts'
import { type ObjectStore, readSmall } from './object-store.ts'
import { S3Store } from './s3-store.ts'
import { StagedUpload } from './staged-upload.ts'
import { S3Server } from './testing/s3-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'muster-staged-'))
const server = await S3Server.start()
server.pageSize = 2
afterAll(() => {
  server.stop()
  rmSync(scratch, { recursive: true })
})
const kinds: { kind: string; store: ObjectStore }[] = [
  { kind: 'a folder', store: new DiskStore(scratch) },
  { kind: 'an object storage', store: new S3Store(server.settings) },
]
const limits = { bytesMax: 1_000 }
async function* body(...pieces: string[]) {
  for (const piece of pieces) yield Buffer.from(piece)
}
async function* cut(text: string) {
  yield Buffer.from(text)
  throw new Error('the sender disconnected')
}
const textOf = async (bytes: AsyncIterable<Uint8Array>) => {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return String(Buffer.concat(pieces))
}

describe.each(kinds)('a file that is uploaded in chunks, in $kind', ({ store }) => {
  it('becomes an object when it is complete, also in another process', async () => {
    const upload = new StagedUpload(store, 'one')
    expect(await upload.receivedBytes()).toBe(0)
    expect(await upload.append(0, body('012', '34'), limits)).toBe(5)
    expect(await upload.append(5, body('56'), limits)).toBe(7)
    const later = new StagedUpload(store, 'one')
    expect(await later.append(7, body('789'), limits)).toBe(10)
    expect([await textOf(later.read()), await textOf(later.read(6)), await textOf(later.read(10))]).toEqual([
      '0123456789',
      '6789',
      '',
    ])
    expect(await store.size('whole')).toBeNull()
    await expect(later.complete('whole', { ...limits, size: 11 })).rejects.toMatchObject({ problem: 'wrong_size' })
    expect(await store.size('whole')).toBeNull()
    expect((await later.complete('whole', { ...limits, size: 10 })).size).toBe(10)
    expect((await later.complete('whole', { ...limits, size: 10 })).size).toBe(10)
    await later.discard()
    expect(String(await readSmall(store, 'whole'))).toBe('0123456789')
    expect(await later.receivedBytes()).toBe(0)
  })

  it('accepts a repeated chunk, and rejects a chunk at another offset', async () => {
    const upload = new StagedUpload(store, 'twice')
    await upload.append(0, body('abc'), limits)
    await upload.append(3, body('def'), limits)
    expect(await upload.append(0, body('abc'), limits)).toBe(6)
    expect(await upload.append(3, body('d', 'ef'), limits)).toBe(6)
    for (const [offset, text] of [
      [0, 'abX'],
      [0, 'ab'],
      [1, 'bc'],
      [4, 'x'],
      [7, 'x'],
    ] as const)
      await expect(upload.append(offset, body(text), limits)).rejects.toMatchObject({ receivedBytes: 6 })
    expect(await textOf(upload.read())).toBe('abcdef')
  })

  it('stores no chunk that is aborted, too large or has another hash', async () => {
    const upload = new StagedUpload(store, 'refused')
    await upload.append(0, body('abc'), limits)
    await expect(upload.append(3, cut('de'), limits)).rejects.toThrow('sender disconnected')
    await expect(upload.append(3, body('de'), { bytesMax: 1 })).rejects.toMatchObject({ problem: 'too_large' })
    const sha256 = '0'.repeat(64)
    await expect(upload.append(3, body('de'), { ...limits, sha256 })).rejects.toMatchObject({ problem: 'wrong_hash' })
    expect(await upload.receivedBytes()).toBe(3)
    expect(await upload.append(3, body('de'), limits)).toBe(5)
  })

  it('accepts one of two simultaneous chunks for the same offset', async () => {
    const upload = new StagedUpload(store, 'race')
    const outcomes = await Promise.allSettled([
      upload.append(0, body('aaaa'), limits),
      upload.append(0, body('bb'), limits),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(['aaaa', 'bb']).toContain(await textOf(upload.read()))
  })
})
