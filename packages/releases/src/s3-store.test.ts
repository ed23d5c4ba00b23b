import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { createReleaseKey } from './keys.ts'
import { Repository } from './repository.ts'
import { S3Store, signedHeaders } from './s3-store.ts'
import { readSmall } from './store.ts'

const credentials = { region: 'eu-central-1', accessKey: 'KEY', secretKey: 'SECRET' }

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

const asked: string[] = []

/** As much of S3 as is used: it checks the signature of every request. */
async function storage() {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    asked.push(request.method ?? '')
    const body = await bodyOf(request)
    const url = new URL(request.url ?? '', `http://${request.headers.host}`)
    const date = String(request.headers['x-amz-date'])
    const at = new Date(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
    const payloadHash = createHash('sha256').update(body).digest('hex')
    const expected = signedHeaders(credentials, { method: request.method ?? '', url, payloadHash, at })
    if (request.headers.authorization !== expected.authorization) {
      response.writeHead(403).end()
      return
    }
    if (request.method === 'PUT') objects.set(url.pathname, body)
    const object = objects.get(url.pathname)
    if (object === undefined) {
      response.writeHead(404).end()
      return
    }
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const part = start === undefined ? object : object.subarray(Number(start), Number(end) + 1)
    response.writeHead(
      start === undefined ? 200 : 206,
      request.method === 'PUT' ? {} : { 'content-length': part.length },
    )
    response.end(request.method === 'GET' ? part : undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket/releases`
}

describe('releases in an object storage', async () => {
  const url = await storage()
  const store = new S3Store({ ...credentials, url, allowedNetworks: ['127.0.0.0/8'] })

  it('what is written can be read, in whole and in parts; what is not there is told', async () => {
    await store.write('targets/1.0.0/file', Buffer.from('0123456789'))
    expect(await store.size('targets/1.0.0/file')).toBe(10)
    expect((await readSmall(store, 'targets/1.0.0/file'))?.toString()).toBe('0123456789')
    const part = await store.stream('targets/1.0.0/file', { start: 2, end: 4 })
    const pieces: Uint8Array[] = []
    for await (const piece of part ?? []) pieces.push(piece)
    expect(Buffer.concat(pieces).toString()).toBe('234')
    expect(await store.size('targets/1.0.0/none')).toBeNull()
    expect(await store.stream('targets/1.0.0/none')).toBeNull()
    await expect(readSmall(store, 'targets/1.0.0/file', 5)).rejects.toThrow('larger than 5 bytes')
  })

  it('finding 8: how large a file is was asked once for many who want to know at once, and again once it changed', async () => {
    await store.write('targets/2.0.0/file', Buffer.from('01234'))
    const before = asked.length
    const sizes = await Promise.all(Array.from({ length: 50 }, () => store.size('targets/2.0.0/file')))
    expect(new Set(sizes)).toEqual(new Set([5]))
    expect(asked.slice(before)).toEqual(['HEAD'])
    await store.write('targets/2.0.0/file', Buffer.from('0123456'))
    expect(await store.size('targets/2.0.0/file')).toBe(7)
    expect(await store.size('targets/2.0.0/none')).toBeNull()
    await store.write('targets/2.0.0/none', Buffer.from('0'))
    expect(await store.size('targets/2.0.0/none')).toBe(1)
  })

  it('a repository lives in it', async () => {
    const [release, online] = [createReleaseKey(), createReleaseKey()]
    const repository = new Repository(store)
    await repository.begin({ release: [release], threshold: 1, online })
    await repository.add([{ version: '1.0.0', os: 'linux', arch: 'arm64', bytes: Buffer.from('agent') }], [release])
    await repository.renew(online)
    expect(await repository.published()).toMatchObject([{ version: '1.0.0', arch: 'arm64', size: 5 }])
  })

  it('a wrong secret is refused, and so is an address that nobody allowed', async () => {
    const wrong = new S3Store({ ...credentials, secretKey: 'OTHER', url, allowedNetworks: ['127.0.0.0/8'] })
    await expect(wrong.size('a')).rejects.toThrow('answered 403')
    await expect(wrong.write('a', Buffer.from('x'))).rejects.toThrow('answered 403')
    await expect(new S3Store({ ...credentials, url, allowedNetworks: [] }).size('a')).rejects.toThrow('is not allowed')
  })
})
