import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DiskStore } from '@muster/files/disk-store.ts'
import { Updater } from 'tuf-js'
import { afterAll, describe, expect, it } from 'vitest'
import { createReleaseKey } from './keys.ts'
import { Repository } from './repository.ts'

const scratch = mkdtempSync(join(tmpdir(), 'muster-releases-'))
afterAll(() => rmSync(scratch, { recursive: true }))
let count = 0
const folder = () => join(scratch, String(++count))

/** Verifies metadata like an agent, from the root that it was installed with. */
async function agentSees(repositoryFolder: string, root: Buffer, target: string) {
  const server = createServer((request, response) => {
    try {
      response.end(readFileSync(join(repositoryFolder, request.url ?? '')))
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const metadataDir = mkdtempSync(join(scratch, 'agent-'))
  writeFileSync(join(metadataDir, 'root.json'), root)
  try {
    const updater = new Updater({
      metadataDir,
      metadataBaseUrl: `http://127.0.0.1:${port}/metadata`,
      targetDir: metadataDir,
      targetBaseUrl: `http://127.0.0.1:${port}/targets`,
      config: { fetchRetries: 0 },
    })
    await updater.refresh()
    const found = await updater.getTargetInfo(target)
    return found === undefined
      ? null
      : readFileSync(await updater.downloadTarget(found, join(metadataDir, 'got')), 'utf8')
  } finally {
    server.close()
  }
}

const linux = (version: string, text = `agent ${version}`) =>
  ({ version, os: 'linux', arch: 'x64', bytes: Buffer.from(text) }) as const
const path = (version: string) => `${version}/linux-x64/muster-agent`

async function begun(release = [createReleaseKey()], threshold = 1) {
  const place = folder()
  const online = createReleaseKey()
  const clock = { nowMs: Date.now() }
  const repository = new Repository(new DiskStore(place), () => clock.nowMs)
  await repository.begin({ release, threshold, online })
  return { place, online, release, repository, clock, root: readFileSync(join(place, 'metadata/1.root.json')) }
}

describe('a repository of releases', () => {
  it('serves an agent what was signed, and nothing before it is published', async () => {
    const { place, root, repository, release, online } = await begun()
    await repository.renew(online)
    await repository.add([linux('1.0.0')], release)
    expect(await agentSees(place, root, path('1.0.0'))).toBeNull()
    expect(await repository.published()).toEqual([])
    expect(await repository.renew(online)).toBe(true)
    expect(await agentSees(place, root, path('1.0.0'))).toBe('agent 1.0.0')
    expect(await repository.published()).toMatchObject([{ version: '1.0.0', os: 'linux', arch: 'x64', size: 11 }])
  })

  it('keeps a signed version unchanged, and can withdraw it', async () => {
    const { place, root, repository, release, online } = await begun()
    await repository.add([linux('1.0.0')], release)
    await repository.add([linux('1.0.0')], release)
    await expect(repository.add([linux('1.0.0', 'other')], release)).rejects.toThrow('already signed')
    await repository.add([linux('1.1.0')], release)
    await repository.withdraw('1.1.0', release)
    await repository.renew(online)
    expect((await repository.published()).map(({ version }) => version)).toEqual(['1.0.0'])
    expect(await agentSees(place, root, path('1.1.0'))).toBeNull()
  })

  it('publishes nothing with the online key alone', async () => {
    const { repository, online, place, root } = await begun()
    await repository.renew(online)
    await repository.add([linux('6.6.6')], [online])
    await expect(repository.renew(online)).rejects.toThrow('0/1 keys')
    expect(await agentSees(place, root, path('6.6.6'))).toBeNull()
  })

  it('where two people have to sign, one signature is not enough', async () => {
    const [first, second] = [createReleaseKey(), createReleaseKey()]
    const { repository, online, place, root } = await begun([first, second], 2)
    await repository.add([linux('1.0.0')], [first])
    await expect(repository.renew(online)).rejects.toThrow('1/2 keys')
    await repository.countersign(second)
    await repository.renew(online)
    expect(await agentSees(place, root, path('1.0.0'))).toBe('agent 1.0.0')
  })

  it('renews published metadata while a newer version waits for its second signature', async () => {
    const [first, second] = [createReleaseKey(), createReleaseKey()]
    const { repository, online, place, root, clock } = await begun([first, second], 2)
    await repository.add([linux('1.0.0')], [first, second])
    await repository.renew(online)
    await repository.add([linux('2.0.0')], [first])
    clock.nowMs += 20 * 3_600_000
    expect(await repository.renew(online, 12 * 3_600_000)).toBe(true)
    const { expires } = JSON.parse(readFileSync(join(place, 'metadata/timestamp.json'), 'utf8')).signed
    expect(Date.parse(expires)).toBeGreaterThan(clock.nowMs + 23 * 3_600_000)
    expect(await agentSees(place, root, path('1.0.0'))).toBe('agent 1.0.0')
    expect(await agentSees(place, root, path('2.0.0'))).toBeNull()
    await repository.countersign(second)
    expect(await repository.renew(online, 12 * 3_600_000)).toBe(true)
    expect(await agentSees(place, root, path('2.0.0'))).toBe('agent 2.0.0')
  })

  it('has expired metadata rejected by an agent until it is renewed', async () => {
    const { repository, online, release, place, root, clock } = await begun()
    await repository.add([linux('1.0.0')], release)
    clock.nowMs = Date.now() - 2 * 86_400_000
    await repository.renew(online)
    await expect(agentSees(place, root, path('1.0.0'))).rejects.toThrow(/expired/i)
    clock.nowMs = Date.now()
    expect(await repository.renew(online, 3_600_000)).toBe(true)
    expect(await repository.renew(online, 3_600_000)).toBe(false)
    expect(await agentSees(place, root, path('1.0.0'))).toBe('agent 1.0.0')
  })

  it('lets an agent follow keys that were rotated twice while it was offline', async () => {
    const { repository, online, release, place, root } = await begun()
    await repository.add([linux('1.0.0')], release)
    const [second, third, nextOnline] = [createReleaseKey(), createReleaseKey(), createReleaseKey()]
    await expect(repository.rotate({ release: [second], threshold: 1, online }, [createReleaseKey()])).rejects.toThrow()
    await repository.rotate({ release: [second], threshold: 1, online }, release)
    await repository.rotate({ release: [third], threshold: 1, online: nextOnline }, [second])
    await expect(repository.renew(online)).rejects.toThrow()
    await repository.renew(nextOnline)
    expect(await agentSees(place, root, path('1.0.0'))).toBe('agent 1.0.0')
    await repository.add([linux('2.0.0')], release)
    await expect(repository.renew(nextOnline)).rejects.toThrow('0/1 keys')
  })
})

describe('npm run release', () => {
  const cli = fileURLToPath(new URL('release-cli.ts', import.meta.url))
  const run = (args: readonly string[], env: Record<string, string>) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
      env,
      encoding: 'utf8',
    })
    return { status, text: stdout + stderr }
  }

  it('creates keys, signs, publishes, lists and prints its usage', async () => {
    const [place, keys] = [folder(), folder()]
    const executable = join(scratch, 'muster-agent')
    writeFileSync(executable, 'the agent')
    const env = { RELEASES_DIR: place, RELEASE_PASSPHRASE: 'correct horse' }
    expect(run(['init', '--keys', keys], env)).toMatchObject({ status: 0 })
    const key = ['--key', join(keys, 'release-1.pem')]
    expect(run(['sign', ...key, '1.2.3', `linux-x64=${executable}`], { RELEASES_DIR: place }).status).toBe(1)
    expect(run(['sign', ...key, '1.2', `linux-x64=${executable}`], env).text).toContain('must look like 1.2.3')
    expect(run(['sign', ...key, '1.2.3', `plan9-x64=${executable}`], env).text).toContain('1.2.3 plan9-x64: ')
    const builds = ['linux-x64', 'win-x64', 'win-arm64', 'darwin-arm64', 'macos-x64']
    const files = builds.map((build) => `${build}=${executable}`)
    expect(run(['sign', ...key, '1.2.3', ...files], env)).toMatchObject({ status: 0 })
    expect(run(['timestamp', '--online', join(keys, 'online.pem')], env)).toMatchObject({ status: 0, text: '' })
    const listed = run(['list'], env).text
    const root = readFileSync(join(place, 'metadata/root.json'))
    for (const platform of ['linux-x64', 'windows-x64', 'windows-arm64', 'darwin-arm64', 'darwin-x64']) {
      expect(listed).toContain(`1.2.3/${platform}/muster-agent`)
      expect(await agentSees(place, root, `1.2.3/${platform}/muster-agent`)).toBe('the agent')
    }
    expect(await agentSees(place, root, path('1.2.3'))).toBe('the agent')
    const renewed = folder()
    expect(run(['keys', '--keys', renewed], env)).toMatchObject({ status: 0 })
    const [newKey, online] = [join(renewed, 'release-1.pem'), join(renewed, 'online.pem')]
    expect(run(['withdraw', '--key', newKey, '1.2.3'], env)).toMatchObject({
      status: 1,
      text: expect.stringContaining('is not a release key of this repository'),
    })
    expect(run(['rotate', ...key, '--new-key', newKey, '--online', online], env)).toMatchObject({ status: 0 })
    const wrong = run(['withdraw', '--key', newKey, '1.2.3'], { ...env, RELEASE_PASSPHRASE: 'wrong' })
    expect(wrong).toMatchObject({ status: 1, text: expect.stringContaining('RELEASE_PASSPHRASE') })
    expect(run(['withdraw', '--key', newKey, '1.2.3'], env)).toMatchObject({ status: 0 })
    expect(run(['timestamp', '--online', online], env)).toMatchObject({ status: 0 })
    expect(run(['list'], env).text).toBe('')
    expect(run(['publish'], env)).toMatchObject({ status: 1, text: expect.stringContaining('usage: npm run release') })
  })
})
