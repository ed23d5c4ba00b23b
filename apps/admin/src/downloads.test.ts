// Downloads for machines without a credential, at the level of HTTP: GET, ranges and HEAD.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createStorage, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { followReleases } from '@muster/areas/control/agent-versions/publish.jobs.ts'
import { createRuntime } from '@muster/areas/runtime.ts'
import { createPool } from '@muster/db/pool.ts'
import { DiskStore } from '@muster/files/disk-store.ts'
import { S3Store } from '@muster/files/s3-store.ts'
import { createReleaseKey } from '@muster/releases/keys.ts'
import { rememberingSizes } from '@muster/releases/remembered-sizes.ts'
import { Repository } from '@muster/releases/repository.ts'
import { testServices } from '@muster/testkit/services.ts'
import { ownDatabase } from '@muster/testkit/stores.ts'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen, testServer } from './testing/server.ts'

const version = '1.0.0'
const bytes = '0123456789'

describe('downloads', async () => {
  // An own database, because registered versions belong to the whole installation.
  const database = await ownDatabase()
  const system = createPool({ url: database.systemUrl, name: 'downloads', max: 2 })
  const services = { ...(await testServices()), system }
  const folder = mkdtempSync(join(tmpdir(), 'muster-downloads-'))
  const store = new DiskStore(folder)
  const releases = { source: 'local', upstreamUrl: null, upstreamToken: null, allowedNetworks: [] } as const
  const app = await testServer({
    runtime: createRuntime({ ...services, releases: store, settings: { ...services.settings, releases } }),
  })
  let port = 0
  beforeAll(async () => {
    const [key, online] = [createReleaseKey(), createReleaseKey()]
    const repository = new Repository(store)
    await repository.begin({ release: [key], threshold: 1, online })
    await repository.add([{ version, os: 'linux', arch: 'x64', bytes: Buffer.from(bytes) }], [key])
    await followReleases(services.system, store, online, services.log)
    port = await listen(app)
  })
  afterAll(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
    await system.end()
    await database.drop()
  })

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', at = port) =>
    new Promise<{ status: number | undefined; headers: IncomingMessage['headers']; text: string }>(
      (resolve, reject) => {
        const asking = request({ port: at, path: `/api/v1${path}`, method, headers, agent: false }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (piece: string) => {
            text += piece
          })
          answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }))
        })
        asking.on('error', reject)
        asking.end()
      },
    )
  const agent = `/agents/download/linux/x64?version=${version}`
  const places = [
    ['the agent for a system', agent],
    ['the install script', '/agents/install.sh'],
    ['signed metadata', '/agents/releases/metadata/timestamp.json'],
  ] as const

  it.each(places)('HEAD of %s returns the headers of GET without the body', async (_, path) => {
    const [whole, head] = [await ask(path), await ask(path, {}, 'HEAD')]
    const lasting = ({
      headers: { date, ratelimit, 'x-request-id': id, connection, 'keep-alive': alive, ...rest },
    }: typeof whole) => rest
    expect(whole.status).toBe(200)
    expect(Number(whole.headers['content-length'])).toBe(Buffer.byteLength(whole.text))
    expect([head.status, head.text, lasting(head)]).toEqual([200, '', lasting(whole)])
  })

  it.each(places)('%s has an ETag, and a matching If-None-Match returns 304', async (_, path) => {
    const { headers } = await ask(path)
    const etag = headers.etag ?? ''
    expect(etag).toMatch(/^"[0-9a-f]+"$/)
    expect(headers['cache-control']).toBe('no-cache')
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect(await ask(path, { 'if-none-match': known })).toMatchObject({ status: 304, text: '' })
    expect((await ask(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-30', 206, bytes, 'bytes 0-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=4-2', 416, '', 'bytes */10'],
    ['bytes=0-1,4-5', 200, bytes, undefined],
    ['lines=1-2', 200, bytes, undefined],
  ])('Range: %s answers %i', async (range, status, text, contentRange) => {
    const answer = await ask(agent, { range })
    expect([answer.status, answer.text, answer.headers['content-range']]).toEqual([status, text, contentRange])
    expect(answer.headers['accept-ranges']).toBe('bytes')
    const head = await ask(agent, { range }, 'HEAD')
    expect([head.status, head.text, head.headers['content-range']]).toEqual([status, '', contentRange])
  })

  it('If-Range with a matching ETag returns the range, and with another ETag the whole file', async () => {
    const etag = (await ask(agent)).headers.etag ?? ''
    expect(await ask(agent, { range: 'bytes=8-', 'if-range': etag })).toMatchObject({ status: 206, text: '89' })
    expect(await ask(agent, { range: 'bytes=8-', 'if-range': '"other"' })).toMatchObject({ status: 200, text: bytes })
    const script = (await ask('/agents/install.sh')).text
    expect(await ask('/agents/install.sh', { range: 'bytes=0-8' })).toMatchObject({
      status: 206,
      text: script.slice(0, 9),
    })
  })

  it('platforms have aliases; a platform without an agent and an unknown platform return different errors', async () => {
    const of = (path: string) => ask(`/agents/download/${path}?version=${version}`)
    for (const path of ['linux/amd64', 'linux/x86_64', 'Linux/X64']) expect((await of(path)).text).toBe(bytes)
    for (const [path, platform] of [
      ['darwin/arm64', 'darwin/arm64'],
      ['macos/x64', 'darwin/x64'],
      ['windows/amd64', 'windows/x64'],
      ['linux/aarch64', 'linux/arm64'],
    ] as const) {
      const { status, text } = await of(path)
      const message = `Agent version ${version} for ${platform} not found`
      expect([status, JSON.parse(text)]).toEqual([404, { code: 'NOT_FOUND', message }])
    }
    for (const path of ['solaris/x64', 'linux/sparc', 'linux/..%2f..']) {
      const { status, text } = await of(path)
      expect([status, JSON.parse(text).code, typeof JSON.parse(text).message]).toEqual([
        400,
        'VALIDATION_ERROR',
        'string',
      ])
    }
    const unknown = await ask('/agents/download/linux/x64?version=9.9.9')
    expect(JSON.parse(unknown.text).message).toBe('Agent version 9.9.9 for linux/x64 not found')
    for (const method of ['GET', 'HEAD'])
      expect((await ask(`/agent-versions/${version}/download`, {}, method)).status).toBe(401)
    expect((await ask('/agents/download/solaris/x64', {}, 'HEAD')).status).toBe(400)
  })

  describe('downloads from an object storage', () => {
    const requests: string[] = []
    // The body never ends by itself, so that only the server can end it.
    const storage = createStorage((asked, answer) => {
      requests.push(asked.method ?? '')
      answer.writeHead(200, { 'content-length': 1_000_000 })
      if (asked.method === 'HEAD') answer.end()
      else answer.write('the beginning')
    })
    const sockets = () => promisify(storage.getConnections.bind(storage))()
    let remote: FastifyInstance
    let remotePort = 0
    beforeAll(async () => {
      await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${(storage.address() as AddressInfo).port}/bucket`
      const s3 = new S3Store({ url, region: 'r', accessKey: 'a', secretKey: 's', allowedNetworks: ['127.0.0.0/8'] })
      remote = await testServer({
        runtime: createRuntime({
          ...services,
          releases: rememberingSizes(s3),
          settings: { ...services.settings, releases },
        }),
      })
      await remote.listen({ host: '127.0.0.1', port: 0 })
      remotePort = (remote.server.address() as AddressInfo).port
    })
    afterAll(async () => {
      await remote.close()
      storage.closeAllConnections()
      storage.close()
    })

    it('HEAD requests leave no connection open and share one request to the storage', async () => {
      const heads = await Promise.all(Array.from({ length: 25 }, () => ask(agent, {}, 'HEAD', remotePort)))
      expect(new Set(heads.map(({ status }) => status))).toEqual(new Set([200]))
      expect(heads[0]?.headers['content-length']).toBe('1000000')
      await expect.poll(sockets).toBe(0)
      expect(requests).toEqual(['HEAD'])
    })

    it('aborted downloads leave no socket open, before and after the first byte', async () => {
      const begun = Array.from({ length: 25 }, (_, index) => {
        const asking = request({ port: remotePort, path: `/api/v1${agent}`, agent: false })
        asking.on('error', () => undefined)
        asking.end()
        if (index % 2 === 0)
          return new Promise<void>((resolve) =>
            asking.once('response', (answer) => {
              answer.once('data', () => {
                asking.destroy()
                resolve()
              })
            }),
          )
        return new Promise<void>((resolve) =>
          setImmediate(() => {
            asking.destroy()
            resolve()
          }),
        )
      })
      await Promise.all(begun)
      await expect.poll(sockets, { timeout: 10_000 }).toBe(0)
      expect(requests).toContain('GET')
    })
  })

  it('HEAD is answered without a request to the storage, and other methods are rejected', async () => {
    const [get, head] = [await ask('/agent-versions/latest'), await ask('/agent-versions/latest', {}, 'HEAD')]
    expect([head.status, head.text]).toEqual([get.status, ''])
    const wrong = await ask(agent, {}, 'DELETE')
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD'])
  })
})
