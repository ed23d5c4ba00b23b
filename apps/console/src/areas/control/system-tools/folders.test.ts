import { expect, test } from 'vitest'
import { foldersOf } from './folders.ts'

const taken = {
  hash: 'x',
  collectedAt: '',
  hardware: {},
  network: [],
  software: [],
  services: [],
  users: [],
  system: {},
}
const deviceWith = (osType: 'linux' | 'windows', mounts: readonly (string | null)[]) => ({
  osType,
  inventory: { ...taken, disks: mounts.map((mount) => ({ mount })) },
})
const unix = foldersOf(deviceWith('linux', ['/']))
const windows = foldersOf(deviceWith('windows', ['C:\\', 'D:\\', null]))

test('walks down and up again on Linux and macOS', () => {
  expect(unix.below(unix.below('/', 'etc'), 'nginx')).toBe('/etc/nginx')
  expect([unix.above('/etc/nginx'), unix.above('/etc'), unix.above('/')]).toEqual(['/etc', '/', null])
  expect(unix.trail('/etc/nginx').map(({ path }) => path)).toEqual(['/', '/etc', '/etc/nginx'])
})

test('walks down and up again on a drive of Windows', () => {
  expect(windows.roots).toEqual(['C:\\', 'D:\\'])
  expect(windows.below(windows.below('C:\\', 'Users'), 'a/b')).toBe('C:\\Users\\a/b')
  expect([windows.above('C:\\Users\\a'), windows.above('C:\\Users'), windows.above('C:\\')]).toEqual([
    'C:\\Users',
    'C:\\',
    null,
  ])
  expect(windows.trail('D:\\Data').map(({ name }) => name)).toEqual(['D:\\', 'Data'])
})

test('a Windows device without inventory starts on drive C', () => {
  expect(foldersOf({ osType: 'windows', inventory: null }).roots).toEqual(['C:\\'])
})
