import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DiskStore } from '@muster/files/disk-store.ts'
import { rangeOf } from '@muster/kit/body/ranges.ts'
import { opened } from '@muster/kit/body/raw-body.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { createReleaseKey } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { type CallOptions, call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRuntime } from '../../runtime.ts'
import type { ReleaseSource } from './area.settings.ts'
import { distribution } from './distribution.contract.ts'
import { followReleases } from './publish.jobs.ts'
import { versions } from './versions.contract.ts'

const services = await testServices()
const here = await world()
const folder = mkdtempSync(join(tmpdir(), 'muster-versions-'))
afterAll(() => rmSync(folder, { recursive: true }))
const store = new DiskStore(folder)
const nowhere = { upstreamUrl: null, upstreamToken: null, allowedNetworks: [] }
const runtimeWith = (source: ReleaseSource, releases: DiskStore | null = store) =>
  createRuntime({ ...services, releases, settings: { ...services.settings, releases: source } })
const local = { runtime: runtimeWith({ ...nowhere, source: 'local' }) }

interface Fetched {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}
async function answered(calling: Promise<unknown>): Promise<Fetched> {
  const { status = 200, headers, body: given } = (await calling) as RawAnswer
  const body = await opened(given)
  const pieces: Uint8Array[] = []
  if (typeof body === 'string' || body instanceof Uint8Array) pieces.push(Buffer.from(body))
  else for await (const piece of body) pieces.push(Buffer.from(piece))
  return { status, headers, text: Buffer.concat(pieces).toString() }
}

// High numbers, because other files of this run may register versions as well.
const [older, newer, candidate] = ['900000.1.0', '900000.2.0', '900000.3.0-rc.1']
const [release, online] = [createReleaseKey(), createReleaseKey()]
const repository = new Repository(store)
const executable = (version: string, arch: 'x64' | 'arm64' = 'x64') =>
  ({ version, os: 'linux', arch, bytes: Buffer.from(`agent ${version} ${arch}`) }) as const
const follow = () => followReleases(services.system, store, online, services.log)

beforeAll(async () => {
  await repository.begin({ release: [release], threshold: 1, online })
  await repository.add(
    [executable(older), executable(newer), executable(newer, 'arm64'), executable(candidate)],
    [release],
  )
  await follow()
})

describe('versions of our own store', () => {
  it('are listed newest first; a candidate is never the latest', async () => {
    const { data } = await call(here.orgAdmin, versions.list, { limit: 100 }, local)
    const mine = data.filter(({ version }) => version.startsWith('900000.'))
    expect(mine.map(({ version }) => version)).toEqual([candidate, newer, older])
    expect(mine.map((version) => version.candidate)).toEqual([true, false, false])
    const latest = await call(here.orgAdmin, versions.latest, {}, local)
    expect(latest).toMatchObject({ version: newer, source: 'local', targets: [{ arch: 'arm64' }, { arch: 'x64' }] })
    expect(latest.targets[1]?.url).toMatch(
      new RegExp(`/agents/releases/targets/${newer}/linux-x64/[0-9a-f]{64}.muster-agent$`),
    )
    const stable = await call(here.orgAdmin, versions.list, { limit: 100, candidates: false }, local)
    expect(stable.data.map(({ version }) => version)).not.toContain(candidate)
  })

  it('can be registered by system administrators, which is audited', async () => {
    expect(await call(here.systemAdmin, versions.syncUpstream, {}, local)).toEqual({
      version: newer,
      synced: ['agent:linux/arm64', 'agent:linux/x64'],
    })
    const one = await call(here.systemAdmin, versions.syncUpstream, { version: candidate }, local)
    expect(one).toEqual({ version: candidate, synced: ['agent:linux/x64'] })
    expect((await auditOf(newer)).at(-1)).toMatchObject({ action: 'agent_version.sync', resource_name: newer })
    expect(await refusal(call(here.systemAdmin, versions.syncUpstream, { version: '1.2.3' }, local))).toMatchObject({
      status: 404,
    })
    expect(await refusal(call(here.partnerAdmin, versions.syncUpstream, {}, local))).toMatchObject({ status: 403 })
  })

  it('disappear when they are withdrawn', async () => {
    const gone = '900000.0.9'
    await repository.add([executable(gone)], [release])
    await repository.renew(online)
    await follow()
    const wanted = { os: 'linux', arch: 'x64', version: gone }
    expect((await answered(call(null, distribution.download, wanted, local))).status).toBe(200)
    await repository.withdraw(gone, [release])
    await repository.renew(online)
    await follow()
    expect(await refusal(call(null, distribution.download, wanted, local))).toMatchObject({ status: 404 })
  })
})

describe('executables of other systems', () => {
  const version = '900000.0.7'
  const targets = (['windows', 'darwin'] as const).flatMap((os) =>
    (['x64', 'arm64'] as const).map((arch) => ({ version, os, arch, bytes: Buffer.from(`agent for ${os}-${arch}`) })),
  )
  const publish = async () => {
    await repository.renew(online)
    await follow()
  }
  beforeAll(async () => {
    await repository.add(targets, [release])
    await publish()
  })
  afterAll(async () => {
    await repository.withdraw(version, [release])
    await publish()
  })

  it.each(targets)(
    'are registered, downloaded and served by their signed path: $os-$arch',
    async ({ os, arch, bytes }) => {
      const text = bytes.toString()
      const { data } = await call(here.orgAdmin, versions.list, {}, local)
      const registered = data
        .find((one) => one.version === version)
        ?.targets.find((one) => one.os === os && one.arch === arch)
      expect(registered).toMatchObject({ kind: 'agent', size: bytes.length })
      const file = `${registered?.sha256}.muster-agent`
      expect(registered?.url).toContain(`/agents/releases/targets/${version}/${os}-${arch}/${file}`)
      const signed = { version, platform: `${os}-${arch}`, name: file }
      expect((await answered(call(null, distribution.target, signed, local))).text).toBe(text)
      const download = await answered(call(null, distribution.download, { os, arch, version }, local))
      expect(download.text).toBe(text)
      const name = os === 'windows' ? 'muster-agent.exe' : 'muster-agent'
      expect(download.headers['content-disposition']).toBe(`attachment; filename="${name}"`)
      const sums = await answered(call(null, distribution.checksums, { version, name: 'SHA256SUMS' }, local))
      expect(sums.text).toContain(`${registered?.sha256}  muster-agent-${os}-${arch}\n`)
    },
  )
})

describe('downloads of machines', () => {
  const get = (headers: Record<string, string> = {}, input: object = {}) =>
    answered(call(null, distribution.download, { os: 'linux', arch: 'x64', ...input }, { ...local, headers }))
  const whole = `agent ${newer} x64`

  it('the latest agent for a system, under any of its names', async () => {
    const answer = await get()
    expect(answer).toMatchObject({ status: 200, text: whole })
    expect(answer.headers).toMatchObject({ 'x-agent-version': newer, 'content-length': String(whole.length) })
    expect((await get({}, { arch: 'amd64' })).text).toBe(whole)
    expect((await get({}, { arch: 'aarch64' })).text).toBe(`agent ${newer} arm64`)
    expect((await get({}, { version: candidate })).text).toBe(`agent ${candidate} x64`)
    const download = call(here.orgAdmin, versions.download, { version: older }, local)
    expect((await answered(download)).text).toBe(`agent ${older} x64`)
    for (const [os, arch] of [
      ['windows', 'x64'],
      ['linux', 'mips'],
    ])
      expect((await refusal(call(null, distribution.download, { os, arch }, local))).status).toBeGreaterThanOrEqual(400)
  })

  it('in ranges after an interruption, and not again when unchanged', async () => {
    const { headers } = await get()
    const etag = headers.etag ?? ''
    const part = await get({ range: 'bytes=6-', 'if-range': etag })
    expect(part).toMatchObject({ status: 206, text: whole.slice(6) })
    expect(part.headers['content-range']).toBe(`bytes 6-${whole.length - 1}/${whole.length}`)
    expect(await get({ range: 'bytes=6-', 'if-range': '"another"' })).toMatchObject({ status: 200, text: whole })
    expect(await get({ range: `bytes=${whole.length}-` })).toMatchObject({ status: 416, text: '' })
    expect(await get({ 'if-none-match': `"x", ${etag}` })).toMatchObject({ status: 304, text: '' })
  })

  it.each([
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=5-99', { start: 5, end: 9 }],
    ['bytes=10-', 'none'],
    ['bytes=5-4', 'none'],
    ['bytes=0-1,3-4', null],
    ['items=0-1', null],
    ['bytes=-', null],
  ])('the range %s of ten bytes', (text, range) => {
    expect(rangeOf(text, 10)).toEqual(range)
  })

  it('signed metadata, and executables by their path in it', async () => {
    const metadata = (name: string) => answered(call(null, distribution.metadata, { name }, local))
    const timestamp = await metadata('timestamp.json')
    expect(JSON.parse(timestamp.text).signed._type).toBe('timestamp')
    expect(timestamp.headers['cache-control']).toBe('no-cache')
    expect((await metadata('1.root.json')).headers['cache-control']).toContain('immutable')
    for (const name of ['2.root.json', '9.snapshot.json'])
      expect(await refusal(metadata(name))).toMatchObject({ status: 404 })
    for (const name of ['../metadata/timestamp.json', 'online.pem', 'timestamp.json/..'])
      expect(await refusal(metadata(name))).toMatchObject({ status: 400 })
    const [{ sha256 } = { sha256: '' }] = (await repository.published()).filter(({ version }) => version === older)
    const target = (name: string) =>
      answered(call(null, distribution.target, { version: older, platform: 'linux-x64', name }, local))
    expect(await target(`${sha256}.muster-agent`)).toMatchObject({ status: 200, text: `agent ${older} x64` })
    expect((await target('muster-agent')).text).toBe(`agent ${older} x64`)
    expect(await refusal(target(`${'0'.repeat(64)}.muster-agent`))).toMatchObject({ status: 404 })
    const sums = await answered(call(null, distribution.checksums, { version: older, name: 'SHA256SUMS' }, local))
    expect(sums.text).toBe(`${sha256}  muster-agent-linux-x64\n`)
  })

  it('return 404 without a store', async () => {
    const none: CallOptions = { runtime: runtimeWith({ ...nowhere, source: 'local' }, null) }
    expect(await refusal(call(null, distribution.metadata, { name: 'timestamp.json' }, none))).toMatchObject({
      status: 404,
    })
    expect(await refusal(call(null, distribution.download, { os: 'linux', arch: 'x64' }, none))).toMatchObject({
      status: 404,
    })
    expect(await refusal(call(here.systemAdmin, versions.syncUpstream, {}, none))).toMatchObject({ status: 400 })
  })
})

describe('versions of a release host', () => {
  let reply: RequestListener
  const asked: { url: string; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization })
    reply(request, response)
  })
  let origin = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const sync = (version?: string, more: Partial<ReleaseSource> = {}) => {
    const source = {
      upstreamUrl: `${origin}/repos/muster/agent`,
      upstreamToken: 'secret',
      allowedNetworks: ['127.0.0.0/8'],
    }
    const runtime = runtimeWith({ source: 'upstream', ...source, ...more })
    return call(here.systemAdmin, versions.syncUpstream, { version }, { runtime })
  }
  const hash = (letter: string) => letter.repeat(64)
  const asset = (name: string, more: object = {}) => {
    return { name, size: 7, browser_download_url: `${origin}/files/${name}`, digest: `sha256:${hash('a')}`, ...more }
  }
  const releaseOf = (version: string, more: object = {}) => ({
    tag_name: `v${version}`,
    draft: false,
    prerelease: false,
    published_at: '2026-01-02T03:04:05Z',
    body: 'Notes',
    assets: [
      asset('muster-agent-linux-x64'),
      asset('muster-helper-windows-x64.exe'),
      asset('README.md', { digest: null }),
    ],
    ...more,
  })
  const says = (body: unknown) => {
    reply = (_request, response) => response.end(JSON.stringify(body))
  }

  it('are registered with their addresses, by default the latest stable one', async () => {
    says(releaseOf('800000.1.0'))
    expect(await sync()).toEqual({ version: '800000.1.0', synced: ['agent:linux/x64', 'helper:windows/x64'] })
    expect(await sync()).toMatchObject({ version: '800000.1.0' })
    expect(asked.at(-1)).toEqual({ url: '/repos/muster/agent/releases/latest', authorization: 'Bearer secret' })
    const download = call(null, distribution.download, { os: 'linux', arch: 'x64', version: '800000.1.0' }, local)
    expect(await answered(download)).toMatchObject({
      status: 302,
      headers: { location: `${origin}/files/muster-agent-linux-x64`, 'x-checksum-sha256': hash('a') },
    })
    const { data } = await call(here.orgAdmin, versions.list, { limit: 100 }, local)
    const found = data.find(({ version }) => version === '800000.1.0')
    expect(found).toMatchObject({ source: 'upstream', notes: 'Notes', candidate: false })
  })

  it('registers a candidate by its name only', async () => {
    says(releaseOf('800000.2.0-rc.1', { prerelease: true }))
    expect((await refusal(sync())).message).toContain('gives the candidate')
    expect(await sync('800000.2.0-rc.1')).toMatchObject({ version: '800000.2.0-rc.1' })
    expect(asked.at(-1)?.url).toBe('/repos/muster/agent/releases/tags/v800000.2.0-rc.1')
    expect((await call(here.orgAdmin, versions.latest, {}, local)).version).toBe(newer)
  })

  it('do not change after registration', async () => {
    says(releaseOf('800000.3.0'))
    await sync()
    says(releaseOf('800000.3.0', { assets: [asset('muster-agent-linux-x64', { digest: `sha256:${hash('b')}` })] }))
    expect(await refusal(sync())).toMatchObject({ status: 409, message: expect.stringContaining('other bytes') })
  })

  it('reads hashes from a file on another host, without sending it the token', async () => {
    const list = { name: 'SHA256SUMS', digest: null }
    reply = (request, response) => {
      if (request.url === '/files/SHA256SUMS') {
        const other = origin.replace('127.0.0.1', 'localhost')
        response.writeHead(302, { location: `${other}/elsewhere` }).end()
      } else if (request.url === '/elsewhere') response.end(`${hash('c')}  muster-agent-linux-arm64\n`)
      else {
        const assets = [asset('muster-agent-linux-arm64', { digest: null }), asset('SHA256SUMS', list)]
        response.end(JSON.stringify(releaseOf('800000.4.0', { assets })))
      }
    }
    const networks = ['127.0.0.0/8', '::1/128']
    expect(await sync(undefined, { allowedNetworks: networks })).toMatchObject({ synced: ['agent:linux/arm64'] })
    expect(asked.at(-1)).toEqual({ url: '/elsewhere', authorization: undefined })
  })

  const wrong: [string, number, (respond: Parameters<RequestListener>[1]) => void][] = [
    ['answers that there is none', 404, (response) => response.writeHead(404).end('{}')],
    ['fails', 503, (response) => response.writeHead(500).end('oops')],
    ['answers garbage', 503, (response) => response.end('<html>')],
    ['answers something else', 503, (response) => response.end('{"tag_name":7}')],
    ['sends its tag in another form', 503, (response) => response.end(JSON.stringify(releaseOf('next')))],
    ['has only a draft', 404, (response) => response.end(JSON.stringify(releaseOf('1.0.0', { draft: true })))],
    ['has no executables', 503, (response) => response.end(JSON.stringify(releaseOf('1.0.0', { assets: [] })))],
    [
      'gives no hash',
      503,
      (response) => {
        response.end(
          JSON.stringify(releaseOf('1.0.0', { assets: [asset('muster-agent-linux-x64', { digest: null })] })),
        )
      },
    ],
    ['redirects in a circle', 503, (response) => response.writeHead(302, { location: '/again' }).end()],
    [
      'breaks off',
      503,
      (response) => {
        response.write('{"tag_name":')
        response.destroy()
      },
    ],
    [
      'sends too much',
      503,
      (response) => {
        response.end(Buffer.alloc(3_000_000, ' '))
      },
    ],
  ]
  it.each(wrong)('rejects a host that %s and names it', async (_what, status, respond) => {
    reply = (_request, response) => respond(response)
    const told = await refusal(sync())
    expect(told.status).toBe(status)
    expect(told.message).toMatch(status === 404 ? /^Release not found$/ : /release host/)
  })

  it('distinguishes an unreachable host, a forbidden one and none', async () => {
    expect(await refusal(sync(undefined, { upstreamUrl: 'http://127.0.0.1:1/x' }))).toMatchObject({ status: 503 })
    expect((await refusal(sync(undefined, { allowedNetworks: [] }))).message).toContain('is not allowed')
    expect(await refusal(sync(undefined, { upstreamUrl: null }))).toMatchObject({ status: 400 })
  })
})
