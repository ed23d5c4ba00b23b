// Case U10: the release keys are rotated three times while a fleet of 1,000 updates its metadata, and a tenth of it is offline
// for two rotations. Each agent's metadata is processed with its own folder and the real code, without agent processes.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DiskStore } from '@muster/files/disk-store.ts'
import { createReleaseKey, type ReleaseKey } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import type { SignedTarget } from '@muster/releases/signed-target.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeServer } from '../../apps/agent/src/testing/fake-server.ts'
import { trustedTarget } from '../../apps/agent/src/update/trusted-target.ts'

const fleetSize = 1_000
const atOnce = 20
const arch = process.arch === 'arm64' ? 'arm64' : 'x64'

let place: string
let server: FakeServer
let repository: Repository
let root: string
let release: ReleaseKey
const online = createReleaseKey()

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'muster-roots-'))
  server = await FakeServer.start()
  server.behavior.answersGet = (request, response) =>
    void readFile(join(place, 'repository', request.url ?? '')).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    )
  repository = new Repository(new DiskStore(join(place, 'repository')))
  release = createReleaseKey()
  await repository.begin({ release: [release], threshold: 1, online })
  root = await readFile(join(place, 'repository/metadata/1.root.json'), 'utf8')
})
afterAll(async () => {
  await server?.stop()
  await rm(place, { recursive: true, force: true })
})

async function publish(version: string): Promise<SignedTarget> {
  const [signed] = await repository.add([{ version, os: 'linux', arch, bytes: Buffer.from(version) }], [release])
  await repository.renew(online)
  if (signed === undefined) throw new Error('unreachable')
  return signed
}

/** Rotates to the next key, signed by the previous one. */
async function rotate(): Promise<ReleaseKey> {
  const [before, after] = [release, createReleaseKey()]
  await repository.rotate({ release: [after], threshold: 1, online }, [before])
  release = after
  return before
}

const folderOf = (agent: number) => join(place, 'agents', String(agent))
const wantedOf = ({ sha256, size, path }: SignedTarget, version: string) => {
  return { version, sha256, size, target: path, metadataUrl: `${server.url}/metadata` }
}

/** Updates the metadata of these agents. @returns how many of them accept that version */
async function believing(agents: readonly number[], version: string, signed: SignedTarget): Promise<number> {
  const left = [...agents]
  let believers = 0
  const takeTurns = async () => {
    for (let agent = left.pop(); agent !== undefined; agent = left.pop()) {
      await trustedTarget(wantedOf(signed, version), { folder: folderOf(agent), root })
      believers++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, takeTurns))
  return believers
}

it('follows the chain of roots on every agent, also after two missed roots, and rejects replaced keys', async () => {
  const fleet = Array.from({ length: fleetSize }, (_, agent) => agent)
  const present = fleet.filter((agent) => agent % 10 !== 0)
  expect(await believing(fleet, '1.0.0', await publish('1.0.0'))).toBe(fleetSize)
  const replaced = await rotate()
  expect(await believing(present, '1.1.0', await publish('1.1.0'))).toBe(present.length)
  await rotate()
  const newest = await publish('1.2.0')
  expect(await believing(fleet, '1.2.0', newest)).toBe(fleetSize)
  await rotate()
  const last = await publish('1.3.0')
  expect(await believing(fleet, '1.3.0', last)).toBe(fleetSize)
  for (const agent of [0, 1]) {
    const held = JSON.parse(await readFile(join(folderOf(agent), 'root.json'), 'utf8'))
    expect(held.signed.version).toBe(4)
  }
  await repository.add([{ version: '6.6.6', os: 'linux', arch, bytes: Buffer.from('evil') }], [replaced])
  await expect(repository.renew(online)).rejects.toThrow()
  expect(await believing([2, 3], '1.3.0', last)).toBe(2)
  // The published metadata is changed without new signatures.
  const targets = `${JSON.parse(await readFile(join(folderOf(0), 'snapshot.json'), 'utf8')).signed.meta['targets.json'].version}.targets.json`
  const path = join(place, 'repository/metadata', targets)
  const honest = await readFile(path, 'utf8')
  await writeFile(path, honest.replaceAll(last.sha256, 'f'.repeat(64)))
  const newcomer = { folder: join(place, 'newcomer'), root }
  await expect(trustedTarget(wantedOf(last, '1.3.0'), newcomer)).rejects.toThrow()
  await writeFile(path, honest)
  expect(await believing([1], '1.3.0', last)).toBe(1)
})
