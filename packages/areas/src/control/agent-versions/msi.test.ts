import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DiskStore } from '@muster/files/disk-store.ts'
import { opened } from '@muster/kit/body/raw-body.ts'
import type { RawAnswer } from '@muster/kit/call.ts'
import { createReleaseKey } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRuntime } from '../../runtime.ts'
import { distribution } from './distribution.contract.ts'
import { followReleases } from './publish.jobs.ts'
import { versions } from './versions.contract.ts'

const services = await testServices()
const here = await world()
const folder = mkdtempSync(join(tmpdir(), 'muster-msi-'))
afterAll(() => rmSync(folder, { recursive: true }))
const store = new DiskStore(folder)
const releases = { source: 'local', upstreamUrl: null, upstreamToken: null, allowedNetworks: [] } as const
const local = {
  runtime: createRuntime({ ...services, releases: store, settings: { ...services.settings, releases } }),
}
const [release, online] = [createReleaseKey(), createReleaseKey()]
const repository = new Repository(store)

async function answered(calling: Promise<unknown>) {
  const { status = 200, headers, body: given } = (await calling) as RawAnswer
  const body = await opened(given)
  const pieces: Uint8Array[] = []
  if (typeof body === 'string' || body instanceof Uint8Array) pieces.push(Buffer.from(body))
  else for await (const piece of body) pieces.push(Buffer.from(piece))
  return { status, headers, text: Buffer.concat(pieces).toString() }
}

describe('the MSI of a version', () => {
  const version = '910000.0.1'
  const windows = { version, os: 'windows', arch: 'x64' } as const
  const msi = { ...windows, format: 'msi', bytes: Buffer.from('the installer') } as const
  const executable = { ...windows, bytes: Buffer.from('the agent') }
  const publish = async () => {
    await repository.renew(online)
    await followReleases(services.system, store, online, services.log)
  }
  const download = (input: object) =>
    call(null, distribution.download, { os: 'windows', arch: 'x64', version, ...input }, local)
  beforeAll(async () => {
    await repository.begin({ release: [release], threshold: 1, online })
    await repository.add([executable, msi], [release])
    await publish()
  })
  afterAll(async () => {
    await repository.withdraw(version, [release])
    await publish()
  })

  it('is signed and served beside its executable', async () => {
    const installer = await answered(download({ format: 'msi' }))
    expect(installer).toMatchObject({ status: 200, text: 'the installer' })
    expect(installer.headers).toMatchObject({
      'content-disposition': 'attachment; filename="muster-agent.msi"',
      'x-agent-version': version,
    })
    const sums = await answered(call(null, distribution.checksums, { version, name: 'SHA256SUMS' }, local))
    expect(sums.text).toContain(`${installer.headers['x-checksum-sha256']}  muster-agent-windows-x64.msi\n`)
    expect((await answered(download({}))).text).toBe('the agent')
  })

  it('is not a version that agents are updated to', async () => {
    const { data } = await call(here.orgAdmin, versions.list, {}, local)
    expect(data.find((one) => one.version === version)?.targets).toHaveLength(1)
  })

  it('is missing where none was published', async () => {
    const missing = { code: 'NOT_FOUND', message: 'MSI of the agent for linux/x64 not found' }
    expect(await refusal(download({ os: 'linux', format: 'msi' }))).toMatchObject({ status: 404, ...missing })
    expect(await refusal(download({ version: '910000.9.9', format: 'msi' }))).toMatchObject({ status: 404 })
  })
})
