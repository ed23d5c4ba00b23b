// Faults of a Windows machine under wine: a wrong clock, a full disk, a service that never stops, a program for 32 bits.
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { debianPackages } from '@muster/testkit/debian.ts'
import { canMount, SmallDisk } from '@muster/testkit/small-disk.ts'
import { NtExecutable } from 'resedit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildExecutable } from '../../scripts/agent-build/executable.ts'
import { pinnedFile } from '../../scripts/agent-build/runtime.ts'
import { root } from '../shape/sources.ts'
import type { Administrator } from '../system/administrator.ts'
import { eventually } from '../system/eventually.ts'
import { windowsTarget } from './release.ts'
import { WindowsMachine } from './windows-machine.ts'
import { type Wine, withoutWine } from './wine.ts'

/** Sets the clock of a program without that of this machine. */
const otherClock = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
const hanging = 'MusterHanging'

describe.skipIf(withoutWine !== undefined || !canMount)('a Windows machine with faults', () => {
  let machine: WindowsMachine
  let fleet: Administrator
  let wine: Wine
  let disk: SmallDisk
  let id: string
  let base: string
  let stopId: string
  /** Starts an agent in a data folder, with its clock shifted. */
  const startAgent = (dataFolder: string, shift: string) =>
    wine.start(
      machine.executable,
      ['--server', fleet.stack.urls.admin, '--data-dir', `${machine.drive}\\${dataFolder}`],
      join(machine.folder, 'agent.log'),
      {
        MUSTER_ENROLLMENT_KEY: machine.tenant.key,
        LD_PRELOAD: otherClock,
        FAKETIME: shift,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        // wine would set its drive C up again because of other times of its files.
        NO_FAKE_STAT: '1',
        // Before the folders of Windows in the path of the agent.
        WINEPATH: `${machine.drive}\\python`,
      },
    )
  const device = async (others: readonly string[] = []) =>
    (await fleet.device(machine.tenant.org.id, (one) => one.status === 'online' && !others.includes(one.id), 120_000))
      .id
  const run = async (deviceId: string, payload: object) => {
    const script = { language: 'cmd', ...payload }
    const { id: commandId } = await fleet.must('POST', `/devices/${deviceId}/commands`, {
      type: 'run_script',
      payload: script,
    })
    return eventually(async () => {
      const command = await fleet.must('GET', `/devices/${deviceId}/commands/${commandId}`)
      return ['completed', 'failed', 'timed_out', 'expired'].includes(command.status) && command
    })
  }

  beforeAll(async () => {
    await debianPackages(otherClock, 'libfaketime')
    machine = await WindowsMachine.start('muster-faults')
    ;({ fleet, wine } = machine)
    await mkdir(join(machine.folder, 'small'))
    disk = SmallDisk.mount(6, join(machine.folder, 'small'))
    const entry = new URL('./hanging-service.ts', import.meta.url).pathname
    const to = join(machine.folder, 'hanging.exe')
    await buildExecutable({ target: windowsTarget(), release: { version: '1.0.0' }, to, entry })
    await mkdir(join(machine.folder, 'python'))
    const thirtyTwoBits = Buffer.from(NtExecutable.createEmpty(true, false).generate())
    await writeFile(join(machine.folder, 'python', 'python.exe'), thirtyTwoBits)
    await startAgent('small\\data', '+2d')
    id = await device()
    base = `/system-tools/devices/${id}`
    await wine.run('sc', ['create', hanging, `binPath=${machine.drive}\\hanging.exe`, 'start=demand'])
    expect(await fleet.must('POST', `${base}/services/${hanging}/start`, {})).toMatchObject({ state: 'running' })
    // It is waited for while the first tests run.
    const stop = { type: 'stop_service', payload: { name: hanging }, timeoutMs: 1_000 }
    stopId = (await fleet.must('POST', `/devices/${id}/commands`, stop)).id
  }, 240_000)
  afterAll(async () => {
    await machine?.stop()
    disk?.unmount()
  })

  it('works with a clock that is two days ahead, and with one that is two days behind', async () => {
    expect(await readFile(join(machine.folder, 'agent.log'), 'utf8')).toMatch(/connected to/)
    expect(await run(id, { script: '@echo ahead' })).toMatchObject({ status: 'completed', stdout: 'ahead\r\n' })
    await startAgent('behind', '-2d')
    const behind = await device([id])
    expect(await run(behind, { script: '@echo behind' })).toMatchObject({ status: 'completed', stdout: 'behind\r\n' })
    const { lastSeenAt } = await fleet.must('GET', `/devices/${behind}`)
    expect(Math.abs(Date.now() - Date.parse(lastSeenAt))).toBeLessThan(3_600_000)
  })

  it('says so when its Python is for 32 bits and cannot run', async () => {
    const answer = await run(id, { language: 'python', script: 'print(1)' })
    const error = expect.stringMatching(/^INTERPRETER_NOT_FOUND: C:\\muster-faults\\python\\python\.exe cannot run/)
    expect(answer).toMatchObject({ status: 'failed', error })
  })

  it('answers in time when a service hangs while it stops', async () => {
    const ended = await eventually(async () => {
      const command = await fleet.must('GET', `/devices/${id}/commands/${stopId}`)
      return command.status !== 'running' && command
    })
    expect(ended).toMatchObject({ status: 'timed_out', error: expect.stringMatching(/^TIMED_OUT: it did not end/) })
    expect(await fleet.must('GET', `${base}/services/${hanging}`)).toMatchObject({ state: 'stopping' })
    expect(await run(id, { script: '@echo alive' })).toMatchObject({ status: 'completed' })
  })

  it('finds no library that was planted in the current folder or in the path', async () => {
    const [planted, there] = [join(machine.folder, 'planted'), `${machine.drive}\\planted`]
    const agentFolder = join(machine.folder, 'agent')
    const native = (await readdir(agentFolder)).find((name) => name.startsWith('native-')) ?? ''
    await mkdir(planted, { recursive: true })
    await copyFile(
      await pinnedFile(windowsTarget().runtime, root, join(root, '.muster/agent-build')),
      join(planted, 'node.exe'),
    )
    // It is a library that can be loaded.
    await copyFile(join(agentFolder, native, 'koffi.node'), join(planted, 'planted.dll'))
    const addon = JSON.stringify(`${machine.drive}\\agent\\${native}\\koffi.node`)
    const unguarded = `const own = { exports: {} }; process.dlopen(own, ${addon})
      const load = own.exports.load('kernel32.dll').func('__stdcall', 'LoadLibraryW', 'intptr_t', ['void *'])
      process.exit(Number(load(Buffer.from(process.argv[2] + '\\0', 'utf16le'))) === 0 ? 1 : 0)`
    await writeFile(join(planted, 'unguarded.cjs'), unguarded)
    const inFolder = (command: string) => wine.run('cmd', ['/d', '/c', `cd /d ${there} && ${command}`])
    const inPath = (program: string, ...args: string[]) => wine.run(program, args, { WINEPATH: there })
    expect(await inFolder('node.exe unguarded.cjs absent.dll')).toBe(1)
    expect(await inFolder('node.exe unguarded.cjs planted.dll')).toBe(0)
    expect(await inPath(`${there}\\node.exe`, `${there}\\unguarded.cjs`, 'planted.dll')).toBe(0)
    const guarded = `${machine.drive}\\hanging.exe`
    expect(await inFolder(`${guarded} version.dll`)).toBe(0)
    expect(await inFolder(`${guarded} planted.dll`)).toBe(1)
    expect(await inPath(guarded, 'planted.dll')).toBe(1)
  })

  it('says that its disk is full, keeps no part of a file, and works again once there is space', async () => {
    const filler = join(disk.path, 'filler')
    disk.fill(filler)
    const upload = (name: string) => {
      const query = new URLSearchParams({ path: `${machine.drive}\\small\\${name}`, overwrite: 'true' })
      return fleet.bytes('POST', `${base}/files/upload?${query}`, Buffer.alloc(500_000))
    }
    const refused = await upload('refused.bin')
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(JSON.stringify(await refused.json())).toContain('the disk of the machine is full')
    expect(await readdir(disk.path)).not.toContain('refused.bin')
    const error = expect.stringContaining('the disk of the machine is full')
    expect(await run(id, { script: '@echo never' })).toMatchObject({ status: 'failed', error })
    await rm(filler)
    expect(await run(id, { script: '@echo again' })).toMatchObject({ status: 'completed', stdout: 'again\r\n' })
    expect((await upload('taken.bin')).status).toBe(201)
  })
})
