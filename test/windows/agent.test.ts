// The Windows executable of the agent under wine, against a real server: from REST through its socket and back.
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputEvent } from '@muster/areas/control/commands/output/output.contract.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestProxy } from '../../apps/agent/src/testing/test-proxy.ts'
import type { Administrator } from '../system/administrator.ts'
import { eventually } from '../system/eventually.ts'
import { WindowsMachine } from './windows-machine.ts'
import { type Wine, withoutWine } from './wine.ts'

const hive = 'HKEY_LOCAL_MACHINE'
const uninstall = 'Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall'
const apps = 'Software\\Microsoft\\Windows\\CurrentVersion\\Appx\\AppxAllUserStore\\Applications'
const servicing = 'Software\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing'
/** What Windows itself notes in the registry, and wine does not; and an installed program. */
const noted = {
  [`${uninstall}\\muster-test`]: {
    DisplayName: '"Muster Test Program"',
    DisplayVersion: '"4.2"',
    Publisher: '"Muster"',
  },
  'System\\CurrentControlSet\\Control\\SecureBoot\\State': { UEFISecureBootEnabled: 'dword:1' },
  'System\\CurrentControlSet\\Control\\Class\\{0}\\0000': {
    DriverDesc: '"Muster Test Device"',
    DriverVersion: '"1.2.3"',
  },
  [`${servicing}\\RebootPending`]: {},
  [`${servicing}\\Packages\\Package_for_KB5034441~31bf~amd64~~1.2`]: { CurrentState: 'dword:70' },
  [`${apps}\\Muster.Calculator_1.2.3.4_x64__8wekyb3d8bbwe`]: {},
}
const connections = 'Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings\\Connections'
/** What `netsh winhttp set proxy` writes: a size, a version, flags, and two texts with their lengths. */
function winHttpSettings(proxy: string): string {
  const numbers = (...values: number[]) => values.map((value) => Buffer.from(Uint32Array.of(value).buffer))
  const bytes = Buffer.concat([...numbers(24, 0, 3, proxy.length), Buffer.from(proxy), ...numbers(0)])
  return `hex:${[...bytes].map((byte) => byte.toString(16)).join(',')}`
}
const query = (values: Record<string, string>) => new URLSearchParams(values).toString()

if (withoutWine !== undefined) process.stderr.write(`The Windows agent is not tested: ${withoutWine}\n`)

describe.skipIf(withoutWine !== undefined)('the agent on Windows', () => {
  let machine: WindowsMachine
  let fleet: Administrator
  let wine: Wine
  let id: string
  let base: string
  /** The folder of this test on drive C. */
  let folder: string
  beforeAll(async () => {
    machine = await WindowsMachine.start('muster-test')
    ;({ fleet, wine, folder } = machine)
    await machine.register(noted)
    const key = { MUSTER_ENROLLMENT_KEY: machine.tenant.key }
    await wine.start(machine.executable, machine.flags, join(folder, 'agent.log'), key)
    id = await machine.online()
    base = `/system-tools/devices/${id}`
  }, 180_000)
  afterAll(() => machine?.stop())

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
    const { hardware, software, services, disks, network } = device.inventory
    expect(software).toContainEqual(
      expect.objectContaining({ name: 'Muster Test Program', version: '4.2', publisher: 'Muster' }),
    )
    expect(services).toContainEqual(expect.objectContaining({ name: 'Eventlog', state: 'running' }))
    expect(disks).toContainEqual(expect.objectContaining({ mount: 'C:\\', fileSystem: 'NTFS' }))
    expect(network).toContainEqual(
      expect.objectContaining({ gateways: expect.any(Array), dnsServers: expect.any(Array) }),
    )
    expect(hardware).toMatchObject({ secureBoot: true, tpm: { present: false } })
    expect(software).toContainEqual(expect.objectContaining({ name: 'Muster.Calculator', source: 'appx' }))
  })

  it('removes a planted library, and collects drivers, updates, pending restarts, time zone and workgroup', async () => {
    const log = join(folder, 'inventory.json')
    // Windows would search this folder for the libraries of the addon.
    const native = join(
      folder,
      'agent',
      (await readdir(join(folder, 'agent'))).find((name) => name.startsWith('native-')) ?? '',
    )
    await writeFile(join(native, 'version.dll'), 'planted')
    const collecting = await wine.start(machine.executable, ['collect-inventory'], log)
    await new Promise((resolve) => collecting.once('exit', resolve))
    expect(await readdir(native)).toEqual(['koffi.node'])
    // wine itself writes other lines.
    const line = (await readFile(log, 'utf8')).split('\n').find((text) => text.startsWith('{')) ?? ''
    const { system } = JSON.parse(line)
    expect(system).toMatchObject({
      timeZone: expect.stringMatching(/^\w+\/\w+/),
      pendingRestart: expect.arrayContaining(['parts of Windows']),
      updates: [{ name: 'KB5034441', version: '1.2' }],
      membership: { workgroup: expect.any(String) },
    })
    expect(system.drivers).toContainEqual({ name: 'Muster Test Device', version: '1.2.3' })
    expect(system.drivers).toContainEqual(expect.objectContaining({ startup: expect.any(String) }))
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
      // The server shows NUL as the replacement character; the bytes of the text tell it apart.
      await machine.register({ [path]: { nul: 'hex(1):61,00,00,00,62,00,00,00' } })
      const place = query({ hive, path })
      expect(await fleet.must('GET', `${base}/registry/keys?${place}`)).toEqual({ keys: ['below'], truncated: false })
      const listed = await fleet.must('GET', `${base}/registry/values?${place}`)
      expect(listed.values).toContainEqual({ name: 'nul', type: 'REG_SZ', data: 'a\uFFFDb', bytes: 'YQAAAGIA' })
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
    const lines = [
      '@echo off',
      'echo %NAME% %1',
      ':again',
      `if not exist ${go} goto again`,
      'C:\\windows\\system32\\chcp.com',
      'echo two',
      'exit /b -1073741819',
    ]
    const payload = {
      language: 'cmd',
      script: lines.join('\n'),
      args: ['a b'],
      env: { NAME: 'one', PATH: 'none' },
    }
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
    expect(output).toMatch(/^one "a b"\r\n\D*65001\D*\r\ntwo\r\n$/)
    expect(told.find((event) => event.type === 'ended')).toMatchObject({ status: 'failed', exitCode: -1_073_741_819 })
  })

  it('reads the output of a cmd script that changes its code page', async () => {
    // wine reads the text of a script in the page of the machine, so the script prints files.
    await writeFile(join(folder, 'utf8.txt'), 'ö 😀\r\n')
    await writeFile(join(folder, '437.txt'), Buffer.from('Gr\x81\xe1e\r\n', 'latin1'))
    const lines = ['type utf8.txt', 'chcp 437>nul', 'type 437.txt', 'chcp 65001>nul', 'type utf8.txt']
    const script = ['@echo off', ...lines].join('\n')
    const payload = { language: 'cmd', script, workingDirectory: machine.drive }
    const run = { type: 'run_script', payload, waitMs: 20_000 }
    const { stdout } = await fleet.must('POST', `/devices/${id}/commands`, run)
    expect(stdout).toBe('ö 😀\r\nGrüße\r\nö 😀\r\n')
  })

  it('refuses scripts for the signed-in user as long as the agent does not run as SYSTEM', async () => {
    const run = { type: 'run_script', payload: { language: 'cmd', runAs: 'user', script: 'exit /b 0' } }
    const refused = { status: 403, body: { code: 'NOT_PERMITTED', message: expect.stringContaining('SYSTEM') } }
    expect(await fleet.rest('POST', `/devices/${id}/commands`, run)).toMatchObject(refused)
  })

  it('hands a script to a user, with its variables, output and exit code', async () => {
    // wine has the calls for it, but lists no sessions of users.
    await writeFile(join(folder, 'user.cmd'), '@echo %NAME% %USERNAME%\r\n@exit /b 5\r\n')
    const program = 'C:\\windows\\system32\\cmd.exe'
    const commandLine = `${program} /d /s /c ""${machine.drive}\\user.cmd""`
    const place = { session: 1, workingDirectory: machine.drive, variables: ['NAME'] }
    const args = ['run-as-user', JSON.stringify({ ...place, program, commandLine })]
    const log = join(folder, 'user.log')
    const running = await wine.start(machine.executable, args, log, { NAME: 'one' })
    expect(await new Promise((resolve) => running.once('exit', resolve))).toBe(5)
    expect(await readFile(log, 'utf8')).toMatch(/^one \w+\r$/m)
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

  it('refuses arguments that cmd would change', async () => {
    const payload = { language: 'cmd', script: 'exit /b 0', args: ['%PATH%'] }
    const { error } = await fleet.must('POST', `/devices/${id}/commands`, {
      type: 'run_script',
      payload,
      waitMs: 20_000,
    })
    expect(error).toMatch(/^INVALID_PAYLOAD: args of a cmd script must not contain quotes, percent signs or line ends/)
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
    const drives = await fleet.must('GET', `${base}/files`)
    expect(drives.entries).toContainEqual(expect.objectContaining({ name: 'C:', type: 'directory' }))
    expect(entries).toContainEqual(expect.objectContaining({ name: 'taken.bin', type: 'file', sizeBytes: 1_200_000 }))
  })

  it.each([
    ['the own keys of the agent', 'C:\\muster-test\\data\\identity.key', 409],
    ['the own program of the agent', 'C:\\muster-test\\AGENT\\muster-agent.exe', 409],
    ['an alternate data stream', 'C:\\muster-test\\taken.bin:hidden', 400],
    ['a device', 'C:\\muster-test\\NUL', 400],
    ['a network path', '\\\\server\\share\\file', 400],
    ['a path of another system', '/etc/passwd', 400],
    ['a missing file', 'C:\\muster-test\\absent', 404],
  ])('refuses %s', async (_, path, status) => {
    expect(await fleet.rest('GET', `${base}/files/download?${query({ path })}`)).toMatchObject({ status })
  })

  it('connects through the proxy of the machine', async () => {
    const proxy = await TestProxy.start()
    try {
      await machine.register({ [connections]: { WinHttpSettings: winHttpSettings(proxy.url.replace('http://', '')) } })
      const flags = ['--server', fleet.stack.urls.admin, '--data-dir', `${machine.drive}\\proxied`]
      const key = { MUSTER_ENROLLMENT_KEY: machine.tenant.key }
      await wine.start(machine.executable, flags, join(folder, 'proxied.log'), key)
      await eventually(async () => (await readFile(join(folder, 'proxied.log'), 'utf8')).includes('connected to'))
      const [admin, ingest] = [fleet.stack.urls.admin, fleet.stack.urls.ingest].map((url) => new URL(url).host)
      expect(new Set(proxy.asked)).toEqual(new Set([admin, ingest]))
    } finally {
      await machine.register({ [connections]: { WinHttpSettings: '-' } })
      await proxy.stop()
    }
  })

  it('shows what a restart would call', async () => {
    const run = { type: 'reboot', payload: { dryRun: true }, waitMs: 20_000 }
    const { result } = await fleet.must('POST', `/devices/${id}/commands`, run)
    expect(result).toMatchObject({ action: 'reboot', dryRun: true, command: 'InitiateSystemShutdownExW reboot' })
  })
})
