import { randomUUID } from 'node:crypto'
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { takeDataFolder } from './data-folder.ts'
import { forgetInstalledKey } from './platform/linux/installed-key.ts'
import { linux } from './platform/linux/linux.ts'
import { FakeServer } from './testing/fake-server.ts'
import { spawnAgent, startAgent, temporaryFolder } from './testing/test-agent.ts'

// These tests start processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

let server: FakeServer
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  server = await FakeServer.start()
  folder = await temporaryFolder()
})
afterEach(async () => {
  await server.stop()
  await folder[Symbol.asyncDispose]()
})

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const modeOf = async (path: string) => (await stat(path)).mode & 0o777

describe('the data folder', () => {
  test('makes a second agent wait until the folder is free', async () => {
    const data = join(folder.path, 'data')
    const release = await linux.claim(await made(data), 'agent')
    await using agent = spawnAgent('src/main.ts', ['--server', server.url, '--data-dir', data])
    await expect.poll(() => agent.output(), { timeout: 20_000 }).toContain('another agent uses')
    expect(server.enrollments).toHaveLength(0)
    release?.()
    await server.until(() => server.isConnected)
  })

  test('closes the folder and all its files to other users', async () => {
    await chmod(folder.path, 0o755)
    await writeFile(join(folder.path, 'enrolment.json.old'), '{}', { mode: 0o644 })
    const release = await takeDataFolder(folder.path, 'agent', { platform: linux, log })
    release()
    expect(await modeOf(folder.path)).toBe(0o700)
    expect(await modeOf(join(folder.path, 'enrolment.json.old'))).toBe(0o600)
  })

  test.runIf(process.getuid?.() === 0)('refuses a folder of another user', async () => {
    await chown(folder.path, 65_534, 65_534)
    const taking = takeDataFolder(folder.path, 'agent', { platform: linux, log })
    await expect(taking).rejects.toThrow(/belongs to user 65534, but the agent runs as user 0; give another one/)
  })
})

describe('the enrollment key', () => {
  test('is read from standard input and deleted once the machine is enrolled', async () => {
    const data = join(folder.path, 'data')
    const args = ['--server', server.url, '--key-stdin', '--data-dir', data]
    await using agent = spawnAgent('src/main.ts', args, { MUSTER_ENROLLMENT_KEY: '' }, 'key-from-stdin\n')
    await server.until(() => server.isConnected)
    expect(server.enrollments[0]).toMatchObject({ enrollmentKey: 'key-from-stdin' })
    expect(agent.output()).not.toContain('key-from-stdin')
    await expect.poll(() => holding(data, 'key-from-stdin')).toEqual([])
    expect(await modeOf(data)).toBe(0o700)
    const files = (await readdir(data, { withFileTypes: true })).filter((entry) => entry.isFile())
    const open = await Promise.all(
      files.map(async ({ name }) => ((await modeOf(join(data, name))) & 0o077 ? [name] : [])),
    )
    expect(open.flat()).toEqual([])
  })

  test('is passed through the watchdog, and survives a restart before enrollment', async () => {
    const data = join(folder.path, 'data')
    server.behavior.refusesEnrollment = { status: 503, body: { code: 'BUSY', message: 'Later' } }
    const args = ['watchdog', '--server', server.url, '--key-stdin', '--data-dir', data]
    await using first = spawnAgent('src/main.ts', args, { MUSTER_ENROLLMENT_KEY: '' }, 'k-1\n')
    await server.until(() => server.enrollments.length > 0)
    first.kill('SIGTERM')
    await first.exited
    expect(await holding(data, 'k-1')).toEqual(['enrollment.key'])
    expect(await modeOf(join(data, 'enrollment.key'))).toBe(0o600)
    server.behavior.refusesEnrollment = undefined
    await using second = spawnAgent('src/main.ts', args, { MUSTER_ENROLLMENT_KEY: '' })
    await server.until(() => server.isConnected)
    await expect.poll(() => holding(data, 'k-1')).toEqual([])
    second.kill('SIGTERM')
    await second.exited
  })

  test('is removed from the settings of an earlier installer', async () => {
    const path = join(folder.path, 'agent.env')
    await writeFile(path, 'https_proxy="http://proxy:1"\nMUSTER_ENROLLMENT_KEY="KEY-1"\nno_proxy="x"\n')
    await forgetInstalledKey(path)
    expect(await readFile(path, 'utf8')).toBe('https_proxy="http://proxy:1"\nno_proxy="x"\n')
    expect(await modeOf(path)).toBe(0o600)
  })
})

describe('plaintext', () => {
  test('refuses an unencrypted remote ingest address from the server and stores nothing', async () => {
    const ingestUrl = 'ws://agents.example.com/agent'
    const body = { deviceId: randomUUID(), certificate: 'certificate', ingestUrl }
    server.behavior.refusesEnrollment = { status: 201, body }
    await using agent = await startAgent(server.url, folder.path)
    await expect(agent.ended).rejects.toThrow(
      /ws:\/\/agents\.example\.com\/agent, which is not encrypted: set its INGEST/,
    )
    expect(await readdir(folder.path)).not.toContain('enrolment.json')
  })
})

async function made(path: string): Promise<string> {
  await mkdir(path, { mode: 0o700 })
  return path
}

/** Names of the files in a folder that contain a text. */
async function holding(path: string, text: string): Promise<string[]> {
  const files = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isFile())
  const held = await Promise.all(
    files.map(async ({ name }) => (await readFile(join(path, name), 'utf8')).includes(text)),
  )
  return files.flatMap(({ name }, index) => (held[index] ? [name] : []))
}
