// Failures of an object storage.

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readSmall } from './object-store.ts'
import { S3Store } from './s3-store.ts'
import { type S3Fault, type S3Operation, S3Server } from './testing/s3-server.ts'

const server = await S3Server.start()
afterAll(() => server.stop())
const store = new S3Store({ ...server.settings, timeoutMs: 100 })
const bytesMax = 50_000_000
const large = Buffer.alloc(10_000_000, 'large ')
async function* body(...pieces: (string | Buffer)[]) {
  for (const piece of pieces) yield Buffer.from(piece)
}
const put = (key: string, bytes: string | Buffer) => store.put(key, body(bytes), { bytesMax })
let count = 0
let key = ''
beforeEach(() => {
  key = `object-${++count}`
  server.asked.length = 0
  server.uploads.clear()
})

describe('an object storage that fails for a while', () => {
  const faults: S3Fault[] = [500, 503, 'silence', 'lost']
  const writes: [S3Operation, string | Buffer][] = [
    ['PutObject', 'small'],
    ['CreateMultipartUpload', large],
    ['UploadPart', large],
    ['CompleteMultipartUpload', large],
  ]
  const cases = writes.flatMap(([operation, bytes]) =>
    faults
      // A request with a part may take twenty times as long, which would make this test slow.
      .filter((fault) => fault !== 'silence' || operation === 'CreateMultipartUpload')
      .map((fault) => ({ operation, bytes, fault })),
  )
  it.each(cases)('stores an object after $operation recovers from $fault', async ({ operation, bytes, fault }) => {
    server.fail(operation, fault, 2)
    const { size } = await put(key, bytes)
    expect(size).toBe(bytes.length)
    expect((await readSmall(store, key, bytesMax))?.equals(Buffer.from(bytes))).toBe(true)
  })

  it('retries the completion of an upload that failed with status 200', async () => {
    server.fail('CompleteMultipartUpload', 'late', 2)
    await put(key, large)
    expect(await store.size(key)).toBe(large.length)
  })

  it.each(['small', large])(
    'recognizes its own object when the response was lost, and no other object',
    async (bytes) => {
      const operation = bytes === large ? 'CompleteMultipartUpload' : 'PutObject'
      server.fail(operation, 'lost')
      await put(key, bytes)
      server.fail(operation, 500)
      await expect(put(key, bytes)).rejects.toMatchObject({ problem: 'exists' })
    },
  )

  it.each([500, 503, 'silence', 'lost'] as const)('reads an object after a retry because of %s', async (fault) => {
    await put(key, 'small')
    server.fail('GetObject', fault, 2)
    expect(String(await readSmall(store, key))).toBe('small')
    server.fail('HeadObject', fault, 2)
    expect(await store.size(key)).toBe(5)
    server.fail('ListObjects', fault, 2)
    for await (const _object of store.list(''));
    server.fail('DeleteObject', fault, 2)
    await store.remove(key)
    expect(await store.size(key)).toBeNull()
  })
})

describe('an object storage that keeps failing', () => {
  it.each(['PutObject', 'CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload'] as const)(
    'returns an error after five failures of %s, and no object appears',
    async (operation) => {
      server.fail(operation, 503, 5)
      await expect(put(key, operation === 'PutObject' ? 'small' : large)).rejects.toMatchObject({
        problem: 'unavailable',
        message: expect.stringContaining('The storage answered 503'),
      })
      expect(server.asked.filter((asked) => asked === operation)).toHaveLength(5)
      expect(await store.size(key)).toBeNull()
      expect(server.uploads.size).toBe(0)
    },
  )

  it.each(['wrong-etag', 'no-etag'] as const)('stores nothing when the ETag of a part is %s', async (fault) => {
    server.fail('UploadPart', fault)
    await expect(put(key, large)).rejects.toMatchObject({ problem: 'unavailable' })
    expect(await store.size(key)).toBeNull()
    expect(server.uploads.size).toBe(0)
  })

  it('leaves parts for a later cleanup when even the abort of an upload fails', async () => {
    server.fail('UploadPart', 500, 5)
    server.fail('AbortMultipartUpload', 500, 5)
    await expect(put(key, large)).rejects.toMatchObject({ problem: 'unavailable' })
    expect(server.uploads.size).toBe(1)
    expect(await store.removeUnfinished(new Date(Date.now() - 60_000))).toBe(0)
    expect(await store.removeUnfinished(new Date(Date.now() + 60_000))).toBe(1)
    expect(server.uploads.size).toBe(0)
  })

  it('ends a read with an error when the body is truncated', async () => {
    await put(key, large)
    server.fail('GetObject', 'cut')
    await expect(readSmall(store, key, bytesMax)).rejects.toThrow()
    expect((await readSmall(store, key, bytesMax))?.length).toBe(large.length)
  })

  it('returns an error when the storage sends the whole object instead of a range', async () => {
    await put(key, '0123456789')
    server.fail('GetObject', 'ignores-range')
    await expect(store.stream(key, { start: 1, end: 2 })).rejects.toThrow('The storage answered 200')
  })

  it('returns an error when it accepts connections and never responds', async () => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => sockets.add(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/bucket`
    const dead = new S3Store({ ...server.settings, url, timeoutMs: 50 })
    await expect(dead.size('a')).rejects.toMatchObject({ problem: 'unavailable' })
    await expect(dead.stream('a')).rejects.toMatchObject({ problem: 'unavailable' })
    expect(sockets.size).toBe(10)
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
})

describe('an object storage that rejects requests', () => {
  it('is not retried with a wrong secret', async () => {
    const wrong = new S3Store({ ...server.settings, secretKey: 'OTHER' })
    await expect(wrong.size('a')).rejects.toThrow('answered 403')
    await expect(wrong.put('a', body('x'), { bytesMax })).rejects.toThrow('answered 403')
    expect(server.asked).toEqual(['HeadObject', 'PutObject'])
  })

  it('is not contacted at an address that the operator did not allow', async () => {
    const outside = new S3Store({ ...server.settings, allowedNetworks: [] })
    await expect(outside.size('a')).rejects.toThrow('is not allowed')
    expect(server.asked).toEqual([])
  })
})
