import { commandRegistry } from '@muster/areas/control/commands/command-registry.ts'
import { expect, test } from 'vitest'
import { replyTo } from '../commands.ts'
import { type Machine, machineOf } from '../machine.ts'
import { toolsOf } from './machine-tools.ts'

const machines = Array.from({ length: 100 }, (_, index) => machineOf(index))
const machineWith = (osType: string): Machine => {
  const found = machines.find(({ platform }) => platform.osType === osType)
  if (found === undefined) throw new Error(`no machine runs ${osType}`)
  return found
}
const systems = ['windows', 'linux', 'macos']
const session = (osType: string) => {
  const machine = machineWith(osType)
  const tools = toolsOf(machine, Date.now())
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
