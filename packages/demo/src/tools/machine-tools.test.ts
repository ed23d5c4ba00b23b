import { commandRegistry } from '@muster/areas/control/commands/command-registry.ts'
import { expect, test } from 'vitest'
import { replyTo } from '../commands.ts'
import { type Machine, machineOf } from '../machine.ts'
import { Checks } from './checks.ts'
import { toolsOf } from './machine-tools.ts'
import { absenceAfter } from './power.ts'

const machines = Array.from({ length: 100 }, (_, index) => machineOf(index))
const machineWith = (osType: string): Machine => {
  const found = machines.find(({ platform }) => platform.osType === osType)
  if (found === undefined) throw new Error(`no machine runs ${osType}`)
  return found
}
const systems = ['windows', 'linux', 'macos']
const session = (osType: string) => {
  const machine = machineWith(osType)
  const tools = toolsOf(machine, Date.now(), new Checks())
  return (type: string, payload: Record<string, unknown> = {}, data?: Uint8Array) =>
    replyTo({ type, payload, data }, tools, machine)
}

test.each(systems)('a %s machine answers every listing as the server expects it', (osType) => {
  const ask = session(osType)
  for (const type of ['list_processes', 'list_services', 'list_event_logs', 'list_tasks'] as const) {
    const { status, result } = ask(type)
    expect([type, status]).toEqual([type, 'completed'])
    expect(commandRegistry[type].result.safeParse(result).error).toBeUndefined()
    expect(Object.values(result ?? {}).some((list) => Array.isArray(list) && list.length > 0)).toBe(true)
  }
  expect(ask('list_files', { path: '/' })).toMatchObject({ status: 'completed' })
})

test('a stopped service stays stopped, and an ended process is gone', () => {
  const ask = session('windows')
  expect(ask('stop_service', { name: 'W32Time' }).result).toEqual({ name: 'W32Time', state: 'stopped' })
  expect(ask('get_service', { name: 'w32time' }).result).toMatchObject({ state: 'stopped', mainPid: null })
  const { processes } = commandRegistry.list_processes.result.parse(ask('list_processes').result)
  const [, { pid } = { pid: 0 }] = processes
  expect(ask('kill_process', { pid }).result).toMatchObject({ pid, ended: true })
  expect(ask('get_process', { pid }).error).toMatch(/^NOT_FOUND: /)
})

test('the registry of a Windows machine keeps what was set, in any spelling', () => {
  const ask = session('windows')
  const key = { hive: 'HKEY_LOCAL_MACHINE', path: 'SOFTWARE\\Contoso\\App' }
  expect(ask('list_registry_keys', key).error).toMatch(/^NOT_FOUND: /)
  expect(ask('create_registry_key', key).status).toBe('completed')
  const value = { name: 'Servers', type: 'REG_MULTI_SZ', data: ['a', 'b'] }
  expect(ask('set_registry_value', { ...key, ...value }).status).toBe('completed')
  const found = { hive: 'HKEY_LOCAL_MACHINE', path: 'software\\contoso\\APP', name: 'SERVERS' }
  expect(ask('get_registry_value', found).result).toEqual(value)
  expect(ask('delete_registry_value', found).status).toBe('completed')
  expect(ask('get_registry_value', found).error).toMatch(/^NOT_FOUND: /)
  expect(ask('delete_registry_key', { ...key, path: 'SOFTWARE\\Contoso' }).status).toBe('completed')
  expect(ask('list_registry_keys', key).error).toMatch(/^NOT_FOUND: /)
})

test.each([
  ['REG_DWORD', 'text'],
  ['REG_DWORD', -1],
  ['REG_DWORD', 2 ** 32],
  ['REG_DWORD', '7'],
  ['REG_QWORD', 1.5],
  ['REG_QWORD', '7'],
  ['REG_QWORD', '9007199254740991'],
  ['REG_QWORD', '18446744073709551616'],
  ['REG_SZ', 5],
  ['REG_SZ', ['a']],
  ['REG_MULTI_SZ', 'a'],
  ['REG_MULTI_SZ', ['a', '']],
  ['REG_BINARY', 'no base64'],
])('the registry rejects data of another type: %s %j', (type, data) => {
  const value = { hive: 'HKEY_LOCAL_MACHINE', path: 'SOFTWARE', name: 'Wrong', type, data }
  expect(session('windows')('set_registry_value', value).error).toMatch(/^INVALID_PAYLOAD: must be .* for REG_/)
})

test.each([
  ['REG_DWORD', 4294967295],
  ['REG_QWORD', 9007199254740991],
  ['REG_QWORD', '9007199254740992'],
  ['REG_QWORD', '18446744073709551615'],
  ['REG_BINARY', 'AAEC'],
  ['REG_SZ', ''],
])('the registry accepts data of the type: %s %j', (type, data) => {
  const value = { hive: 'HKEY_LOCAL_MACHINE', path: 'SOFTWARE', name: 'Right', type, data }
  expect(session('windows')('set_registry_value', value).status).toBe('completed')
})

test.each(['SOFTWARE\\\\Contoso', '\\SOFTWARE', 'SOFTWARE\\'])('the registry rejects the path %s', (path) => {
  const key = { hive: 'HKEY_LOCAL_MACHINE', path }
  for (const type of ['create_registry_key', 'list_registry_keys', 'delete_registry_key'] as const)
    expect(session('windows')(type, key).error).toMatch(/^INVALID_PAYLOAD: must be names of keys, separated by single/)
})

test('the registry has other software in the view of 32-bit programs, and the same policies', () => {
  const ask = session('windows')
  const hive = 'HKEY_LOCAL_MACHINE'
  const uninstall = 'Microsoft\\Windows\\CurrentVersion\\Uninstall'
  const keys = (path: string, view?: string) =>
    commandRegistry.list_registry_keys.result.parse(ask('list_registry_keys', { hive, path, view }).result).keys
  const [of32, of64] = [keys(`SOFTWARE\\${uninstall}`, '32'), keys(`Software\\${uninstall}`)]
  expect(of32.length).toBeGreaterThan(0)
  expect(of32.filter((name) => of64.includes(name))).toEqual([])
  expect(keys(`SOFTWARE\\WOW6432Node\\${uninstall}`)).toEqual(of32)
  const made = { hive, path: 'SOFTWARE\\Contoso32', view: '32' }
  expect(ask('create_registry_key', made).status).toBe('completed')
  expect(ask('set_registry_value', { ...made, name: 'a', type: 'REG_SZ', data: 'b' }).status).toBe('completed')
  expect(ask('get_registry_value', { hive, path: made.path, name: 'a' }).error).toMatch(/^NOT_FOUND: /)
  expect(ask('get_registry_value', { ...made, name: 'a' }).result).toMatchObject({ data: 'b' })
  expect(ask('create_registry_key', { hive, path: 'SOFTWARE\\Policies\\Contoso', view: '32' }).status).toBe('completed')
  expect(keys('SOFTWARE\\Policies')).toContain('Contoso')
})

test('the registry rejects the deletion of more than 1,000 keys at once', () => {
  const ask = session('windows')
  const hive = 'HKEY_LOCAL_MACHINE'
  const path = 'SOFTWARE\\Contoso'
  for (let index = 0; index < 1_000; index++) ask('create_registry_key', { hive, path: `${path}\\${index}` })
  expect(ask('delete_registry_key', { hive, path }).error).toMatch(/^TOO_LARGE: .* has more than 1000 keys/)
  expect(ask('delete_registry_key', { hive, path: `${path}\\0` }).status).toBe('completed')
  expect(ask('delete_registry_key', { hive, path }).status).toBe('completed')
})

test.each(['HKEY_LOCAL_MACHINE', 'HKEY_USERS'])('the registry rejects new keys directly below %s', (hive) => {
  const ask = session('windows')
  for (const path of ['Contoso', 'Contoso\\App'])
    expect(ask('create_registry_key', { hive, path }).error).toMatch(
      /^INVALID_PAYLOAD: path: Windows allows no new keys/,
    )
  expect(ask('create_registry_key', { hive: 'HKEY_CURRENT_USER', path: 'Contoso' }).status).toBe('completed')
})

test('the registry rejects the deletion of a first-level key of a hive', () => {
  const ask = session('windows')
  const key = { hive: 'HKEY_LOCAL_MACHINE', path: 'SOFTWARE' }
  expect(ask('delete_registry_key', key).error).toMatch(/^INVALID_PAYLOAD: must be below a first-level key/)
  expect(ask('list_registry_keys', key).status).toBe('completed')
})

test.each(['linux', 'macos'])('a %s machine has no registry', (osType) => {
  expect(session(osType)('list_registry_keys', { hive: 'HKEY_LOCAL_MACHINE' }).error).toMatch(/^UNSUPPORTED_PLATFORM: /)
})

test('pages of events follow each other without a gap', () => {
  const ask = session('linux')
  const page = (before?: string) =>
    commandRegistry.list_events.result.parse(ask('list_events', { name: 'journal', limit: 50, before }).result)
  const first = page()
  const second = page(first.nextBefore ?? '')
  const numbers = [...first.events, ...second.events].map(({ recordId }) => Number(recordId))
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) - index))
})

test('an uploaded file can be read back, and is not replaced unless asked', () => {
  const ask = session('windows')
  const path = 'C:\\Windows\\upload.txt'
  const piece = { path, uploadId: crypto.randomUUID(), offset: 0, last: true }
  expect(ask('write_file', piece, Buffer.from('hello')).result).toMatchObject({ sizeBytes: 5 })
  expect(ask('write_file', { ...piece, uploadId: crypto.randomUUID() }, Buffer.from('x')).error).toMatch(/^EXISTS: /)
  expect(Buffer.from(ask('read_file', { path: 'c:/windows/UPLOAD.TXT' }).data ?? []).toString()).toBe('hello')
})

test.each([
  'C:\\Windows\\note.txt:stream',
  'C:\\NUL',
  'C:\\Users\\com1.txt',
  'C:\\a<b',
  `C:\\${'a'.repeat(256)}`,
  '\\\\server\\share',
  '\\\\?\\C:\\Windows',
])('a Windows machine refuses the path %s', (path) => {
  const ask = session('windows')
  const piece = { path, uploadId: crypto.randomUUID(), offset: 0, last: true }
  expect(ask('list_files', { path }).error).toMatch(/^INVALID_PAYLOAD: (path |.*Network paths are refused)/)
  expect(ask('write_file', piece, Buffer.from('x')).status).toBe('failed')
})

test('names of files on Windows ignore case', () => {
  const ask = session('windows')
  const write = (path: string) =>
    ask('write_file', { path, uploadId: crypto.randomUUID(), offset: 0, last: true }, Buffer.from('x'))
  expect(write('C:\\Users\\Public\\Note.txt').status).toBe('completed')
  expect(write('c:\\users\\PUBLIC\\NOTE.TXT').error).toMatch(/^EXISTS: /)
})

test('a Windows machine has no signals', () => {
  const ask = session('windows')
  const { processes } = commandRegistry.list_processes.result.parse(ask('list_processes').result)
  const { pid } = processes[1] ?? { pid: 0 }
  expect(ask('kill_process', { pid, signal: 'HUP' }).error).toMatch(/^UNSUPPORTED_PLATFORM: Windows has no signal HUP/)
})

test.each(systems)('a %s machine restarts after the delay, and stays for a dry run', (osType) => {
  const ask = session(osType)
  for (const type of ['reboot', 'shutdown'] as const) {
    const dry = ask(type, { dryRun: true })
    expect(dry).toMatchObject({ status: 'completed', result: { action: type, dryRun: true } })
    expect(absenceAfter(type, dry.result)).toBeUndefined()
    expect(absenceAfter(type, ask(type, { delaySeconds: 3 }).result)).toMatchObject({ inMs: 3_000 })
  }
})

test('a Mac answers as macOS does', () => {
  const ask = session('macos')
  expect(ask('get_event_log', { name: 'unified' }).status).toBe('completed')
  expect(ask('get_service', { name: 'com.apple.timed' }).result).toMatchObject({
    unitFile: '/System/Library/LaunchDaemons/com.apple.timed.plist',
  })
  expect(ask('get_task', { path: 'timer:com.apple.backupd-auto' }).status).toBe('completed')
  for (const path of ['/tmp', '/Users/Shared', '/Volumes']) expect(ask('list_files', { path }).status).toBe('completed')
  const { entries } = commandRegistry.list_files.result.parse(ask('list_files', { path: '/' }).result)
  expect(new Set(entries.map(({ group }) => group))).toEqual(new Set(['wheel']))
})
