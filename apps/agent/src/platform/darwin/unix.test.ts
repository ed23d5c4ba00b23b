// The parts that hold on every Unix run here for real, with the programs of this machine.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasEnded, temporaryFolder } from '../../testing/test-agent.ts'
import { createFileTools } from '../files/file-tools.ts'
import type { ScriptLanguage } from '../platform.ts'
import { darwinOn } from './darwin.ts'
import { guardedFolders, isWithin } from './held-folders.ts'
import { readRows } from './process-table.ts'
import { socketPath } from './socket-path.ts'
import { fakeMac } from './testing/fake-mac.ts'

const mac = { path: '/usr/bin:/bin:/usr/sbin:/sbin', root: '/' }
const names = async () => ({ user: String, group: String })
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder[Symbol.asyncDispose]())

const started = async (language: ScriptLanguage, script: string, on = mac) => {
  const file = join(folder.path, 'script')
  await writeFile(file, script)
  const commandId = '0b9f3c0e-0000-4000-8000-000000000001'
  const start = {
    commandId,
    language,
    file,
    args: ['a b'],
    environment: { GIVEN: 'yes' },
    workingDirectory: folder.path,
  }
  return darwinOn(on).startScript(start)
}

describe('a script', () => {
  test('runs in its own session, in a clean environment with UTF-8', async () => {
    const script = await started('sh', 'echo "$1 $GIVEN $LANG"; ps -o sid= -p $$; echo $$')
    const [words, session, pid] = (await text(script?.stdout ?? process.stdin)).trim().split('\n')
    expect(words).toBe('a b yes en_US.UTF-8')
    expect(session?.trim()).toBe(pid?.trim())
    expect(await script?.ended).toEqual({ exitCode: 0, signal: null })
  })

  test('is killed with its whole group', async () => {
    const script = await started('bash', 'sleep 60 & echo $!; wait')
    const [piece] = await once(script?.stdout ?? process.stdin, 'data')
    script?.kill()
    expect(await script?.ended).toEqual({ exitCode: 137, signal: 'SIGKILL' })
    await hasEnded(String(piece).trim())
  })

  test('is ended after the death of the agent, by the mark in its environment', async () => {
    const commandId = '0b9f3c0e-0000-4000-8000-000000000002'
    const left = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    const list = `  ${left.pid} sleep 60 PATH=/bin MUSTER_COMMAND_ID=${commandId}\n  1 /sbin/launchd\n`
    await using fake = await fakeMac({ ps: [['-axwwE*', list]] })
    const ended = once(left, 'exit')
    await darwinOn(fake.mac).endLeftovers(new Set([commandId]))
    expect(await ended).toEqual([null, 'SIGKILL'])
  })

  test('in a language that macOS lacks is refused, and one that is not installed is reported', async () => {
    await expect(started('cmd', 'echo')).rejects.toMatchObject({ code: 'UNSUPPORTED_PLATFORM' })
    expect(await started('osascript', 'return 1')).toBeUndefined()
  })

  test('in Python does not open the window that offers developer tools', async () => {
    await using without = await fakeMac({ 'xcode-select': [['-p', 'error', 2]] })
    const shims = { ...mac, path: `${without.mac.path}:/usr/bin:/bin` }
    const script = await started('python', 'print(1)', shims)
    if (script !== undefined) await script.ended
    expect(await without.asked()).toEqual(['xcode-select -p'])
    await using with_ = await fakeMac({ 'xcode-select': [['-p', '/Library/Developer/CommandLineTools']] })
    const real = await started('python', 'print("Ü")', { ...mac, path: `${with_.mac.path}:/usr/bin:/bin` })
    expect(await text(real?.stdout ?? process.stdin)).toBe('Ü\n')
  })
})

describe('files', () => {
  test('are listed, read and written in folders that are open to users', async () => {
    const files = createFileTools(guardedFolders([join(folder.path, 'secret')], names))
    await mkdir(join(folder.path, 'Über 🗂'))
    const path = join(folder.path, 'Über 🗂', 'a b')
    const uploadId = '3f2b8c1e-5a6d-4e7f-8091-a2b3c4d5e6f7'
    const piece = { path, uploadId, offset: 0, last: true, abort: false, overwrite: false }
    expect(await files.write(piece, Buffer.from('one'))).toMatchObject({ path, sizeBytes: 3 })
    expect((await files.read({ path, offset: 1, length: 10 })).data.toString()).toBe('ne')
    const { entries } = await files.list(folder.path)
    expect(entries).toMatchObject([{ name: 'Über 🗂', type: 'directory' }])
  })

  test('are closed in secret folders on every path to them', async () => {
    const secret = join(folder.path, 'Secret')
    await mkdir(secret)
    await writeFile(join(secret, 'key'), 'x')
    await symlink(secret, join(folder.path, 'way'))
    const files = createFileTools(guardedFolders([secret], names))
    for (const path of [join(secret, 'key'), join(folder.path, 'way/key'), '/dev/null', '/.vol/1/2'])
      await expect(files.read({ path, offset: 0, length: 1 })).rejects.toMatchObject({
        code: expect.stringMatching(/^(DENIED|NOT_FOUND)$/),
      })
    await expect(files.list(join(folder.path, 'way'))).rejects.toMatchObject({ code: 'DENIED' })
    await rename(secret, join(folder.path, 'moved'))
    await expect(files.list(secret)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test.each([
    ['/Library/Application Support/Muster Agent/x', true],
    ['/library/APPLICATION support/muster agent', true],
    ['/System/Volumes/Data/Library/Application Support/Muster Agent/identity.key', true],
    ['/Library/Application Support/Muster Agent 2', false],
    ['/Library', false],
  ])('of the agent are recognized under any path: %s', (path, isInside) => {
    expect(isWithin(path, '/Library/Application Support/Muster Agent')).toBe(isInside)
  })

  test('of the agent are recognized in any Unicode form, and behind the links of the system', () => {
    expect(isWithin('/Users/u\u0308/x', '/Users/ü')).toBe(true)
    expect(isWithin('/private/var/muster/key', '/var/muster')).toBe(true)
    expect(isWithin('/private/variable', '/var')).toBe(false)
  })
})

test('reaches a socket in a folder with a long path, and leaves no link behind', async () => {
  const deep = join(folder.path, 'ü'.repeat(40), 'y'.repeat(60))
  await mkdir(deep, { recursive: true })
  const [own, other] = [await socketPath(deep, 'x.sock'), await socketPath(deep, 'x.sock')]
  expect(own.path.length).toBeLessThan(100)
  const server = createServer((socket) => socket.end('hello')).listen(own.path)
  await once(server, 'listening')
  expect(await text(createConnection(other.path))).toBe('hello')
  expect(await readdir(deep)).toEqual(['x.sock'])
  server.close()
  await once(server, 'close')
  await Promise.all([own.close(), other.close()])
  await expect(readdir(join(other.path, '..'))).rejects.toThrow('ENOENT')
})

test('reads a process of this machine with ps, and its identity until it ends', async () => {
  const child = spawn('sleep', ['60'])
  const pid = child.pid ?? 0
  const [row] = await readRows(mac, pid)
  expect(row).toMatchObject({ pid, parentPid: process.pid, uid: process.getuid?.(), command: 'sleep 60' })
  expect(Math.abs(Date.parse(row?.startedAt ?? '') - Date.now())).toBeLessThan(60_000)
  const identity = await darwinOn(mac).identify(pid)
  expect(identity).toMatch(new RegExp(`^${pid}:`))
  const tools = darwinOn(mac).tools([])
  expect(await tools.processes.kill({ pid, signal: 'TERM' })).toMatchObject({ pid, name: 'sleep', ended: true })
  expect(await darwinOn(mac).identify(pid)).toBeUndefined()
  await expect(tools.processes.detail(pid)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
