// Releases whose executables lie with a host and whose signatures are kept here, because agents believe nothing else.
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DiskStore } from '@muster/files/disk-store.ts'
import { replaceWith } from '@muster/files/object-store.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { createReleaseKey } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRuntime } from '../../runtime.ts'
import type { ReleaseSource } from './area.settings.ts'
import { distribution } from './distribution.contract.ts'
import { followUpstream } from './publish.jobs.ts'
import { publishedIn } from './registration.ts'
import { versions } from './versions.contract.ts'

describe('a release host that signs', async () => {
  const services = await testServices()
  const here = await world()
  const scratch = mkdtempSync(join(tmpdir(), 'muster-mirror-'))
  const theirs = new DiskStore(join(scratch, 'theirs'))
  const ours = new DiskStore(join(scratch, 'ours'))
  const [release, online] = [createReleaseKey(), createReleaseKey()]
  const repository = new Repository(theirs)
  const bytes = (version: string) => Buffer.from(`agent ${version}`)
  // High numbers, because other files of this run may register versions as well.
  let shown = '810000.1.0'

  /** Everything in one flat folder, as a host of releases has it. */
  const assets = () => [
    ...readdirSync(join(scratch, 'theirs/metadata')).map((name) => [name, join(scratch, 'theirs/metadata', name)]),
    ...['SHA256SUMS', 'SHA256SUMS.sig'].map((name) => [name, join(scratch, `theirs/targets/${shown}`, name)]),
  ]
  const host = createServer((request, response) => {
    const origin = `http://${request.headers.host}`
    const name = request.url?.split('/').at(-1) ?? ''
    const file = assets().find(([each]) => each === name)?.[1]
    if (file !== undefined) return void response.end(readFileSync(file))
    const digest = `sha256:${createHash('sha256').update(bytes(shown)).digest('hex')}`
    const listed = assets().map(([each]) => ({ name: each, size: 1, browser_download_url: `${origin}/files/${each}` }))
    const agent = { name: 'muster-agent-linux-x64', size: bytes(shown).length, digest }
    const program = { ...agent, browser_download_url: `${origin}/files/agent` }
    response.end(JSON.stringify({ tag_name: `v${shown}`, assets: [program, ...listed] }))
  })
  let runtime: ReturnType<typeof createRuntime>
  const source = (): ReleaseSource => {
    const upstreamUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
    return { source: 'upstream', upstreamUrl, upstreamToken: null, allowedNetworks: ['127.0.0.0/8'] }
  }
  beforeAll(async () => {
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    const settings = { ...services.settings, releases: source() }
    runtime = createRuntime({ ...services, releases: ours, settings })
    await repository.begin({ release: [release], threshold: 1, online })
    await publish('810000.1.0')
  })
  afterAll(async () => {
    host.close()
    rmSync(scratch, { recursive: true })
  })

  async function publish(version: string, key = release): Promise<void> {
    await repository.add([{ version, os: 'linux', arch: 'x64', bytes: bytes(version) }], [key])
    await repository.renew(online)
    shown = version
  }
  const sync = () => call(here.systemAdmin, versions.syncUpstream, {}, { runtime })
  const served = async (name: string) => {
    const { body } = (await call(null, distribution.metadata, { name }, { runtime })) as RawAnswer
    return JSON.parse(Buffer.from(body as Uint8Array).toString())
  }

  it('has its metadata served by this server, but not its executables', async () => {
    expect(await sync()).toEqual({ version: '810000.1.0', synced: ['agent:linux/x64'] })
    const published = await new Repository(ours).published()
    expect(published.map(({ path }) => path)).toEqual(['810000.1.0/linux-x64/muster-agent'])
    expect((await served('timestamp.json')).signed.version).toBe(1)
    const script = (await call(null, distribution.installScript, {}, { runtime })) as RawAnswer
    expect(String(script.body)).toContain('BEGIN PUBLIC KEY')
    const sums = { version: '810000.1.0', name: 'SHA256SUMS' as const }
    expect(String(((await call(null, distribution.checksums, sums, { runtime })) as RawAnswer).body)).toContain(
      'muster-agent',
    )
    await publish('810000.1.1')
    expect(await sync()).toMatchObject({ version: '810000.1.1' })
    expect((await served('timestamp.json')).signed.version).toBe(2)
  })

  it('is read every hour without registering versions', async () => {
    await repository.renew(online)
    await followUpstream(ours, source())
    expect((await served('timestamp.json')).signed.version).toBe(3)
    await publish('810000.1.15')
    await followUpstream(ours, source())
    const latest = { os: 'linux', arch: 'x64', version: '810000.1.15' }
    expect(await refusal(call(null, distribution.download, latest, { runtime }))).toMatchObject({ status: 404 })
    expect(await publishedIn(ours)).toEqual([])
    const known = (await call(
      null,
      distribution.download,
      { ...latest, version: '810000.1.1' },
      { runtime },
    )) as RawAnswer
    expect(known).toMatchObject({ status: 302, headers: { location: expect.stringContaining('/files/agent') } })
  })

  it('can change its keys with a signature of the old ones', async () => {
    const next = createReleaseKey()
    await repository.rotate({ release: [next], threshold: 1, online }, [release])
    await publish('810000.1.2', next)
    expect(await sync()).toMatchObject({ version: '810000.1.2' })
    expect((await served('2.root.json')).signed.version).toBe(2)
  })

  it('changes nothing with metadata that is not trusted, is older, or does not list its executables', async () => {
    const before = readFileSync(join(scratch, 'ours/metadata/timestamp.json'), 'utf8')
    const file = join(scratch, 'theirs/metadata/timestamp.json')
    const honest = readFileSync(file)
    const says = async (text: string) => {
      await replaceWith(theirs, 'metadata/timestamp.json', Buffer.from(text))
      const told = await refusal(sync())
      await replaceWith(theirs, 'metadata/timestamp.json', honest)
      expect(readFileSync(join(scratch, 'ours/metadata/timestamp.json'), 'utf8')).toBe(before)
      return told
    }
    const forged = honest.toString().replace(/"expires": "\d{4}/, '"expires": "9999')
    expect(await says(forged)).toMatchObject({ status: 409, message: expect.stringContaining('not to be trusted') })
    expect(await says('{}')).toMatchObject({ status: 409 })
    shown = '810000.6.6'
    await replaceWith(theirs, 'targets/810000.6.6/SHA256SUMS', Buffer.from(''))
    await replaceWith(theirs, 'targets/810000.6.6/SHA256SUMS.sig', Buffer.from(''))
    expect(await refusal(sync())).toMatchObject({
      ...{ status: 409, message: 'The metadata of the release does not vouch for 810000.6.6/linux-x64/muster-agent' },
    })
  })
})
