import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DiskStore } from '@muster/files/disk-store.ts'
import { createReleaseKey } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import { releaseTargetPath } from '@muster/wire/release.ts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { osName } from '../platform/os-name.ts'
import { temporaryFolder } from '../testing/test-agent.ts'
import { download } from './download.ts'
import { type FetchJob, fetchChecked } from './fetch-process.ts'
import { hashOf, Installation } from './installation.ts'

vi.setConfig({ testTimeout: 60_000 })

const day = 86_400_000
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const here = { os: 'linux', arch: process.arch === 'arm64' ? 'arm64' : 'x64' } as const
/** A minimal executable: it prints its version. */
const program = (version: string, filler = '') => Buffer.from(`#!/bin/sh\n# ${filler}\necho ${version}\n`)

class ReleaseHost {
  readonly folder: string
  readonly keys = { release: [createReleaseKey(), createReleaseKey()], online: createReleaseKey() }
  readonly asked: string[] = []
  /** Handles a request instead of serving files when it returns true. */
  instead: (request: IncomingMessage, response: ServerResponse, file: Buffer) => boolean = () => false
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  nowMs: number | undefined

  constructor(folder: string) {
    this.folder = folder
  }

  async start(threshold = 1): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    await this.repository.begin({ release: this.keys.release, threshold, online: this.keys.online })
  }

  get repository(): Repository {
    return new Repository(new DiskStore(this.folder), () => this.nowMs ?? Date.now())
  }

  get url(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  }

  /** Signs and publishes a version. @returns the offer of it */
  async publish(version: string, bytes = program(version), keys = this.keys.release) {
    const [signed] = await this.repository.add([{ version, ...here, bytes }], keys)
    await this.repository.renew(this.keys.online)
    return this.offerOf(version, bytes, signed?.file)
  }

  offerOf(version: string, bytes: Buffer, file = 'none') {
    const target = releaseTargetPath({ version, ...here })
    const url = `${this.url}/targets/${file}`
    return { version, url, sha256: sha256(bytes), size: bytes.length, metadataUrl: `${this.url}/metadata`, target }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked.push(`${request.url} ${request.headers.range ?? ''}`.trim())
    const file = await readFile(join(this.folder, request.url ?? '')).catch(() => undefined)
    if (file === undefined) return void response.writeHead(404).end()
    if (this.instead(request, response, file)) return
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const range = { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }
    response.writeHead(from > 0 ? 206 : 200, from > 0 ? range : {}).end(file.subarray(from))
  }
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let host: ReleaseHost
let root: string
beforeEach(async () => {
  folder = await temporaryFolder()
  host = new ReleaseHost(join(folder.path, 'releases'))
  await host.start()
  root = await readFile(join(host.folder, 'metadata/root.json'), 'utf8')
  await mkdir(join(folder.path, 'opt'))
  await writeFile(join(folder.path, 'opt/muster-agent'), program('1.0.0'))
})
afterEach(async () => {
  await host.stop()
  await folder[Symbol.asyncDispose]()
})

const installation = () => new Installation(join(folder.path, 'opt/muster-agent'))
const fetching = (offer: Omit<FetchJob, 'executable' | 'trust'>) => {
  const trust = { folder: join(folder.path, 'data/metadata'), root }
  return fetchChecked({ ...offer, executable: installation().current, trust }, () => undefined)
}
/** The refusal; also checks that the running executable is unchanged and none is ready to replace it. */
const refusalOf = async (offer: Omit<FetchJob, 'executable' | 'trust'>) => {
  const refusal = await fetching(offer).then(
    () => 'fetched',
    (error: unknown) => (error instanceof Error && 'reason' in error ? error.reason : error),
  )
  expect(await readFile(installation().current)).toEqual(program('1.0.0'))
  expect(await hashOf(installation().next)).toBeUndefined()
  return refusal
}
const replaceMetadata = async (name: string, change: (metadata: { signed: Record<string, unknown> }) => void) => {
  const path = join(host.folder, 'metadata', name)
  const metadata = JSON.parse(await readFile(path, 'utf8'))
  change(metadata)
  await writeFile(path, JSON.stringify(metadata))
}

test('fetches, verifies and prepares a signed release of a newer version', async () => {
  expect(osName).toBe('linux')
  await fetching(await host.publish('2.0.0'))
  expect(await readFile(installation().next)).toEqual(program('2.0.0'))
  expect((await stat(installation().next)).mode & 0o111).not.toBe(0)
  expect(await readdir(join(folder.path, 'data'))).toEqual(['metadata'])
})

describe('U1: rejects invalid signatures', () => {
  test('for changed bytes, whether or not the offer matches them', async () => {
    const offer = await host.publish('2.0.0')
    const altered = program('6.6.6')
    host.instead = (request, response) => {
      if (request.url?.includes('/targets/') !== true) return false
      response.end(altered)
      return true
    }
    expect(await refusalOf(offer)).toBe('hash_mismatch')
    expect(await refusalOf({ ...offer, sha256: sha256(altered) })).toBe('hash_mismatch')
    expect(await refusalOf({ ...offer, size: offer.size + 1 })).toBe('size_mismatch')
  })

  test('for metadata that is unsigned, signed by an untrusted key, or by one of two keys', async () => {
    const offer = host.offerOf('2.0.0', program('2.0.0'))
    expect(await refusalOf(offer)).toBe('untrusted')
    await host.publish('1.9.0')
    expect(await refusalOf(offer)).toBe('untrusted')
    const other = new ReleaseHost(join(folder.path, 'others'))
    await other.start()
    try {
      expect(await refusalOf(await other.publish('2.0.0'))).toBe('untrusted')
    } finally {
      await other.stop()
    }
    const strict = new ReleaseHost(join(folder.path, 'strict'))
    await strict.start(2)
    try {
      root = await readFile(join(strict.folder, 'metadata/root.json'), 'utf8')
      const both = await strict.publish('2.0.0')
      await replaceIn(strict, '2.targets.json', ({ signatures }) => signatures.pop())
      expect(await refusalOf(both)).toBe('untrusted')
    } finally {
      await strict.stop()
    }
  })

  test('for a key that a new root revoked', async () => {
    const [first] = host.keys.release
    const next = createReleaseKey()
    await host.publish('1.5.0')
    await fetching(await host.publish('1.6.0'))
    await installation().clear()
    const { release, online } = host.keys
    await host.repository.rotate({ release: [next], threshold: 1, online }, release)
    await host.repository.renew(online)
    const bytes = program('2.0.0')
    await host.repository.add([{ version: '2.0.0', ...here, bytes }], first === undefined ? [] : [first])
    await host.repository.renew(online).catch(() => undefined)
    expect(await refusalOf(host.offerOf('2.0.0', bytes))).toBe('untrusted')
    const signed = await host.publish('2.0.1', program('2.0.1'), [next])
    await fetching(signed)
    expect(await hashOf(installation().next)).toBe(signed.sha256)
  })

  test('for metadata with one changed letter', async () => {
    const offer = await host.publish('2.0.0')
    await replaceMetadata('2.targets.json', ({ signed }) => {
      signed.version = 3
    })
    expect(await refusalOf(offer)).toBe('untrusted')
  })

  test('for an executable of another platform or with another version', async () => {
    const offer = await host.publish('2.0.0', program('2.0.1'))
    await expect(fetching(offer)).rejects.toMatchObject({ reason: 'wrong_target' })
    await installation().clear()
    const arch = here.arch === 'x64' ? 'arm64' : 'x64'
    const bytes = program('3.0.0')
    const [signed] = await host.repository.add([{ version: '3.0.0', os: 'linux', arch, bytes }], host.keys.release)
    await host.repository.renew(host.keys.online)
    const foreign = { ...host.offerOf('3.0.0', bytes, signed?.file), target: signed?.path ?? '' }
    expect(await refusalOf(foreign)).toBe('wrong_target')
  })
})

describe('U2: rejects older and mixed metadata', () => {
  test('for a timestamp older than the last one', async () => {
    const timestamp = join(host.folder, 'metadata/timestamp.json')
    const offer = await host.publish('2.0.0')
    const old = await readFile(timestamp)
    await fetching(await host.publish('2.1.0'))
    await installation().clear()
    await writeFile(timestamp, old)
    expect(await refusalOf(offer)).toBe('untrusted')
  })

  test('for an expired timestamp, which limits a freeze attack to one day', async () => {
    host.nowMs = Date.now() - 2 * day
    expect(await refusalOf(await host.publish('2.0.0'))).toBe('metadata_expired')
  })

  test('for targets that do not match the snapshot', async () => {
    await host.publish('2.0.0')
    const offer = await host.publish('2.1.0')
    const [older, newer] = ['2.targets.json', '3.targets.json'].map((name) => join(host.folder, 'metadata', name))
    await writeFile(newer ?? '', await readFile(older ?? ''))
    expect(await refusalOf(offer)).toBe('untrusted')
  })

  test('and keeps the trusted metadata when writing the folder was interrupted', async () => {
    await fetching(await host.publish('2.0.0'))
    await installation().clear()
    await truncate(join(folder.path, 'data/metadata/root.json'), 10)
    await fetching(await host.publish('2.1.0'))
  })
})

describe('U3: bounds a download to the announced length', () => {
  const held = async () => (await stat(installation().part).catch(() => ({ size: 0 }))).size

  test('by ending an endless answer', async () => {
    const offer = await host.publish('2.0.0')
    let sent = 0
    host.instead = (request, response) => {
      if (request.url?.includes('/targets/') !== true) return false
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384, 'x'))) sent += 16_384
        if (!response.destroyed) response.once('drain', more)
      }
      more()
      return true
    }
    expect(await refusalOf(offer)).toBe('size_mismatch')
    expect(await held()).toBe(0)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('by rejecting a file of another length or with compression unread', async () => {
    const offer = await host.publish('2.0.0')
    for (const [length, headers, reason] of [
      [offer.size + 1, {}, 'size_mismatch'],
      [offer.size - 1, {}, 'size_mismatch'],
      [offer.size, { 'content-encoding': 'gzip' }, 'download_failed'],
    ] as const) {
      host.instead = (request, response) => {
        if (request.url?.includes('/targets/') !== true) return false
        response.writeHead(200, { 'content-length': length, ...headers }).end(Buffer.alloc(length))
        return true
      }
      const wanted = { url: offer.url, file: installation().part, bytes: offer.size, pauseMs: 1 }
      await expect(download(wanted)).rejects.toMatchObject({ reason })
      expect(await held()).toBe(0)
    }
  })

  test('and resumes an interrupted download', async () => {
    const bytes = program('2.0.0', 'x'.repeat(100_000))
    const offer = await host.publish('2.0.0', bytes)
    host.instead = (request, response, file) => {
      if (request.url?.includes('/targets/') !== true) return false
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
      const range = { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` }
      response.writeHead(from > 0 ? 206 : 200, range).end(file.subarray(from, from + 40_000))
      return true
    }
    const wanted = { url: offer.url, file: installation().part, bytes: offer.size, pauseMs: 1 }
    await download(wanted)
    expect(await hashOf(installation().part)).toBe(offer.sha256)
    expect(host.asked.filter((line) => line.includes('bytes=')).length).toBeGreaterThan(1)
  })

  test('and gives up a slow download, keeping its bytes for the next attempt', async () => {
    const offer = await host.publish('2.0.0', program('2.0.0', 'x'.repeat(100_000)))
    host.instead = (request, response) => {
      if (request.url?.includes('/targets/') !== true) return false
      response.writeHead(200, { 'content-length': offer.size }).write('0123456789')
      return true
    }
    const wanted = { url: offer.url, file: installation().part, bytes: offer.size, timeoutMs: 300, pauseMs: 1 }
    await expect(download(wanted)).rejects.toMatchObject({ reason: 'download_failed' })
    await expect(download({ ...wanted, timeoutMs: 60_000, stallMs: 50 })).rejects.toThrow(/no data for/)
    expect(await held()).toBe(10)
  })
})

test('refuses with the error of the system when the folder cannot be written', async () => {
  const offer = await host.publish('2.0.0')
  const file = join(folder.path, 'opt/muster-agent')
  const trust = { folder: join(folder.path, 'data/metadata'), root }
  await chmod(file, 0o755)
  const inside = { ...offer, executable: join(file, 'muster-agent'), trust }
  await expect(fetchChecked(inside, () => undefined)).rejects.toThrow(/ENOTDIR/)
})

async function replaceIn(
  { folder: place }: ReleaseHost,
  name: string,
  change: (metadata: { signatures: unknown[] }) => void,
): Promise<void> {
  const path = join(place, 'metadata', name)
  const metadata = JSON.parse(await readFile(path, 'utf8'))
  change(metadata)
  await writeFile(path, JSON.stringify(metadata))
}
