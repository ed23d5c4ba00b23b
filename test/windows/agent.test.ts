// The Windows executable of the agent under wine, against a real server: from REST through its socket and back.
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputEvent } from '@muster/areas/control/commands/output/output.contract.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildExecutable } from '../../scripts/agent-build/executable.ts'
import { targetsNamed } from '../../scripts/agent-build/targets.ts'
import { eventually, Fleet } from '../system/fleet.ts'
import { Wine, withoutWine } from './wine.ts'

const hive = 'HKEY_LOCAL_MACHINE'
const uninstall = 'Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall'
const query = (values: Record<string, string>) => new URLSearchParams(values).toString()

if (withoutWine !== undefined) process.stderr.write(`The Windows agent is not tested: ${withoutWine}\n`)

describe.skipIf(withoutWine !== undefined)('the agent on Windows', () => {
  let fleet: Fleet
  let wine: Wine
  let id: string
  let orgId: string
  let base: string
  /** The folder of this test on drive C. */
  let folder: string
  beforeAll(async () => {
    wine = await Wine.open()
    folder = wine.path('muster-test')
    await rm(folder, { recursive: true, force: true })
    await mkdir(join(folder, 'agent'), { recursive: true })
    const [target] = targetsNamed(['win-x64'])
    if (target === undefined) throw new Error('unreachable')
    const executable = join(folder, 'agent', target.executable)
    const [started] = await Promise.all([
      Fleet.start(),
      buildExecutable({ target, release: { version: '7.0.0' }, to: executable }),
    ])
    fleet = started
    const { org, key } = await fleet.tenant()
    orgId = org.id
    const program = { DisplayName: 'Muster Test Program', DisplayVersion: '4.2', Publisher: 'Muster' }
    for (const [name, data] of Object.entries(program))
      await wine.run('reg', ['add', `HKLM\\${uninstall}\\muster-test`, '/v', name, '/d', data, '/f'])
    const args = ['--server', fleet.stack.urls.admin, '--data-dir', 'C:\\muster-test\\data']
    await wine.start(executable, args, join(folder, 'agent.log'), { MUSTER_ENROLLMENT_KEY: key })
    id = (await fleet.device(orgId, (one) => one.status === 'online', 60_000)).id
    base = `/system-tools/devices/${id}`
  }, 180_000)
  afterAll(async () => {
    await wine?.stop()
    await fleet?.stop()
  })

  it('enrolls, and sends its facts, heartbeats and inventory', async () => {
    const device = await eventually(async () => {
      const found = await fleet.must('GET', `/devices/${id}`)
      return found.inventory && found.memoryTotal > 0 ? found : undefined
    }, 50_000)
    expect(device).toMatchObject({ osType: 'windows', agentVersion: '7.0.0', architecture: 'x64' })
    expect(device.diskTotal).toBeGreaterThan(device.diskUsed)
    expect(device.uptimeSeconds).toBeGreaterThan(0)
    const { points } = await fleet.must('GET', `/devices/${id}/metrics`)
    expect(points[0].processCount).toBeGreaterThan(3)
    const { software, services, disks, network } = device.inventory
    expect(software).toContainEqual(
      expect.objectContaining({ name: 'Muster Test Program', version: '4.2', publisher: 'Muster' }),
    )
    expect(services).toContainEqual(expect.objectContaining({ name: 'RpcSs', state: 'running' }))
    expect(disks).toContainEqual(expect.objectContaining({ mount: 'C:\\', fileSystem: 'NTFS' }))
    expect(network.length).toBeGreaterThan(0)
  })

  it('lists processes, shows one and kills it', async () => {
    const child = await wine.start('ping', ['-n', '300', '127.0.0.1'], '/dev/null')
    const exited = new Promise((resolve) => child.once('exit', resolve))
    const found = await eventually(async () => {
      const { processes } = await fleet.must('GET', `${base}/processes?search=ping`)
      return processes.find((one: { name: string }) => /^ping/i.test(one.name))
    })
    const detail = await fleet.must('GET', `${base}/processes/${found.pid}`)
    expect(detail.executable).toMatch(/^C:\\windows\\.*ping\.exe$/i)
    expect(detail.threads).toBeGreaterThan(0)
    const wrong = { startedAt: '2020-01-01T00:00:00Z' }
    expect(await fleet.rest('POST', `${base}/processes/${found.pid}/kill`, wrong)).toMatchObject({ status: 409 })
    const killed = await fleet.must('POST', `${base}/processes/${found.pid}/kill`, { startedAt: found.startedAt })
    expect(killed).toMatchObject({ pid: found.pid, ended: true })
    await exited
    expect(await fleet.rest('GET', `${base}/processes/${found.pid}`)).toMatchObject({ status: 404 })
  })

  it('lists services, shows one, stops and starts it', async () => {
    const { services } = await fleet.must('GET', `${base}/services`)
    expect(services).toContainEqual(expect.objectContaining({ name: 'Spooler', displayName: 'Print Spooler' }))
    expect(await fleet.must('GET', `${base}/services/Spooler`)).toMatchObject({
      startup: 'manual',
      command: expect.stringMatching(/spoolsv\.exe/i),
      user: expect.any(String),
    })
    expect(await fleet.must('POST', `${base}/services/Spooler/start`, {})).toMatchObject({ state: 'running' })
    expect(await fleet.must('POST', `${base}/services/Spooler/restart`, {})).toMatchObject({ state: 'running' })
    expect(await fleet.must('POST', `${base}/services/Spooler/stop`, {})).toMatchObject({ state: 'stopped' })
    expect(await fleet.rest('GET', `${base}/services/absent`)).toMatchObject({ status: 404 })
  })

  describe('with the registry', () => {
    const path = 'Software\\Muster Test'
    const at = (name: string) => `${base}/registry/value?${query({ hive, path, name })}`
    const values: [name: string, type: string, data: unknown][] = [
      ['text', 'REG_SZ', 'Grüße 😀'],
      ['', 'REG_SZ', 'the default value'],
      ['expand', 'REG_EXPAND_SZ', '%SystemRoot%\\System32'],
      ['list', 'REG_MULTI_SZ', ['one', 'zwei', '三']],
      ['empty list', 'REG_MULTI_SZ', []],
      ['number', 'REG_DWORD', 4_294_967_295],
      ['large', 'REG_QWORD', 9_007_199_254_740_991],
      ['largest', 'REG_QWORD', '18446744073709551615'],
      ['bytes', 'REG_BINARY', randomBytes(300).toString('base64')],
    ]
    beforeAll(() => fleet.must('POST', `${base}/registry/key`, { hive, path: `${path}\\below` }))

    it.each(values)('writes and reads %j of type %s', async (name, type, data) => {
      await fleet.must('PUT', `${base}/registry/value`, { hive, path, name, type, data })
      expect(await fleet.must('GET', at(name))).toEqual({ name, type, data })
    })

    it('lists keys and values, with a text that holds NUL', async () => {
      // The agent keeps NUL inside a text; the server shows it as the replacement character.
      const file = join(folder, 'text.reg')
      const lines = ['Windows Registry Editor Version 5.00', '', `[${hive}\\${path}]`]
      const text = `\uFEFF${[...lines, '"nul"=hex(1):61,00,00,00,62,00,00,00'].join('\r\n')}\r\n\r\n`
      await writeFile(file, text, 'utf16le')
      await wine.run('reg', ['import', 'C:\\muster-test\\text.reg'])
      const place = query({ hive, path })
      expect(await fleet.must('GET', `${base}/registry/keys?${place}`)).toEqual({ keys: ['below'], truncated: false })
      const listed = await fleet.must('GET', `${base}/registry/values?${place}`)
      expect(listed.values).toContainEqual({ name: 'nul', type: 'REG_SZ', data: 'a\uFFFDb' })
      expect(listed.values).toHaveLength(values.length + 1)
      const { keys } = await fleet.must('GET', `${base}/registry/keys?${query({ hive })}`)
      expect(keys.map((key: string) => key.toLowerCase())).toContain('software')
    })

    it('refuses data that does not fit its type', async () => {
      for (const [type, data] of [
        ['REG_DWORD', 2 ** 32],
        ['REG_DWORD', 'text'],
        ['REG_QWORD', -1],
        ['REG_BINARY', 'not base64'],
        ['REG_MULTI_SZ', 'text'],
      ])
        expect(await fleet.rest('PUT', `${base}/registry/value`, { hive, path, name: 'x', type, data })).toMatchObject({
          status: 400,
          body: { code: 'VALIDATION_ERROR' },
        })
    })

    it('deletes values and keys, and answers 404 for those that are gone', async () => {
      await fleet.must('DELETE', at('text'))
      expect(await fleet.rest('GET', at('text'))).toMatchObject({ status: 404 })
      expect(await fleet.rest('DELETE', at('text'))).toMatchObject({ status: 404 })
      await fleet.must('DELETE', `${base}/registry/key?${query({ hive, path })}`)
      expect(await fleet.rest('GET', `${base}/registry/keys?${query({ hive, path })}`)).toMatchObject({ status: 404 })
    })
  })

  it('streams the output of a cmd script in UTF-8', async () => {
    const go = 'C:\\muster-test\\go'
    const lines = ['@echo off', 'echo %NAME% %1', ':again', `if not exist ${go} goto again`, 'echo two', 'exit /b 4']
    const payload = { language: 'cmd', script: lines.join('\n'), args: ['a b'], env: { NAME: 'one' } }
    const { id: commandId } = await fleet.must('POST', `/devices/${id}/commands`, { type: 'run_script', payload })
    const told: OutputEvent[] = []
    const following = fleet
      .client()
      .devices.output.follow.subscribe({ id, commandId }, { onData: (event) => told.push(event) })
    await eventually(async () => told.some((event) => event.type === 'output' && event.output.includes('one')))
    expect(told.some((event) => event.type === 'ended')).toBe(false)
    await writeFile(join(folder, 'go'), '')
    await eventually(async () => told.some((event) => event.type === 'ended'))
    following.unsubscribe()
    const output = told.map((event) => (event.type === 'output' ? event.output : '')).join('')
    expect(output).toBe('one "a b"\r\ntwo\r\n')
    expect(told.find((event) => event.type === 'ended')).toMatchObject({ status: 'failed', exitCode: 4 })
  })

  it('kills all processes of a script that takes too long', async () => {
    const script = '@echo off\nstart /b ping -n 400 127.0.0.1 >nul\nping -n 401 127.0.0.1 >nul'
    const started = await fleet.must('POST', `/devices/${id}/commands`, {
      type: 'run_script',
      payload: { language: 'cmd', script },
      timeoutMs: 3_000,
    })
    const pings = async () => (await fleet.must('GET', `${base}/processes?search=ping.exe`)).processes.length
    await eventually(async () => (await pings()) === 2)
    const ended = await eventually(async () => {
      const command = await fleet.must('GET', `/devices/${id}/commands/${started.id}`)
      return command.status === 'timed_out' && command
    })
    expect(ended.status).toBe('timed_out')
    await eventually(async () => (await pings()) === 0)
  })

  it('refuses a language that Windows does not have', async () => {
    const run = { type: 'run_script', payload: { language: 'bash', script: 'true' } }
    const refused = { status: 422, body: { code: 'UNSUPPORTED_PLATFORM' } }
    expect(await fleet.rest('POST', `/devices/${id}/commands`, run)).toMatchObject(refused)
  })

  it('sends and takes files with their hashes, also with long and non-BMP names', async () => {
    const content = randomBytes(1_200_000)
    const deep = ['x'.repeat(120), 'y'.repeat(120), '😀.bin']
    await mkdir(join(folder, ...deep.slice(0, -1)), { recursive: true })
    await writeFile(join(folder, ...deep), content)
    const there = `C:\\muster-test\\${deep.join('\\')}`
    const down = await fleet.bytes('GET', `${base}/files/download?${query({ path: there })}`)
    expect(Buffer.from(await down.arrayBuffer()).equals(content)).toBe(true)
    const path = 'C:\\muster-test\\taken.bin'
    const up = await fleet.bytes('POST', `${base}/files/upload?${query({ path })}`, content)
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect([up.status, await up.json()]).toEqual([201, { path, sizeBytes: content.length, sha256 }])
    expect((await readFile(join(folder, 'taken.bin'))).equals(content)).toBe(true)
    const { entries } = await fleet.must('GET', `${base}/files?${query({ path: 'C:\\muster-test' })}`)
    expect(entries).toContainEqual(expect.objectContaining({ name: 'taken.bin', type: 'file', sizeBytes: 1_200_000 }))
  })

  it.each([
    ['the own keys of the agent', 'C:\\muster-test\\data\\identity.key', 409],
    ['an alternate data stream', 'C:\\muster-test\\taken.bin:hidden', 400],
    ['a device', 'C:\\muster-test\\NUL', 400],
    ['a network path', '\\\\server\\share\\file', 400],
    ['a path of another system', '/etc/passwd', 400],
    ['a missing file', 'C:\\muster-test\\absent', 404],
  ])('refuses %s', async (_, path, status) => {
    expect(await fleet.rest('GET', `${base}/files/download?${query({ path })}`)).toMatchObject({ status })
  })

  it('shows what a restart would call', async () => {
    const run = { type: 'reboot', payload: { dryRun: true }, waitMs: 20_000 }
    const { result } = await fleet.must('POST', `/devices/${id}/commands`, run)
    expect(result).toMatchObject({ action: 'reboot', dryRun: true, command: 'InitiateSystemShutdownExW reboot' })
  })
})
