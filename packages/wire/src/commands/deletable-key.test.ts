import { expect, test } from 'vitest'
import { DeletableRegistryKey } from './registry.ts'

const isDeletable = (hive: string, path: string) => DeletableRegistryKey.safeParse({ hive, path }).success
const user = 'S-1-5-21-0-0-0-1000'

test.each([
  ['HKEY_LOCAL_MACHINE', 'SOFTWARE'],
  ['HKEY_LOCAL_MACHINE', 'SOFTWARE\\Microsoft'],
  ['HKEY_LOCAL_MACHINE', 'software\\wow6432node'],
  ['HKEY_LOCAL_MACHINE', 'SOFTWARE\\WOW6432Node\\Microsoft\\Windows\\CurrentVersion'],
  ['HKEY_LOCAL_MACHINE', 'SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion'],
  ['HKEY_LOCAL_MACHINE', 'SYSTEM\\CurrentControlSet'],
  ['HKEY_LOCAL_MACHINE', 'System\\ControlSet001\\Services'],
  ['HKEY_LOCAL_MACHINE', 'SYSTEM\\CurrentControlSet\\Control\\Class'],
  ['HKEY_LOCAL_MACHINE', 'SYSTEM\\Setup'],
  ['HKEY_LOCAL_MACHINE', 'SAM\\SAM\\Domains\\Account'],
  ['HKEY_LOCAL_MACHINE', 'BCD00000000\\Objects'],
  ['HKEY_CURRENT_USER', 'Software'],
  ['HKEY_CURRENT_USER', 'Software\\Classes'],
  ['HKEY_CLASSES_ROOT', 'CLSID'],
  ['HKEY_USERS', user],
  ['HKEY_USERS', `${user}\\Software`],
  ['HKEY_USERS', `${user}\\Software\\Microsoft`],
  ['HKEY_USERS', `${user}_Classes\\CLSID`],
])('the key %s\\%s cannot be deleted', (hive, path) => {
  expect(isDeletable(hive, path)).toBe(false)
})

test.each([
  ['HKEY_LOCAL_MACHINE', 'SOFTWARE\\Vendor'],
  ['HKEY_LOCAL_MACHINE', 'SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Vendor'],
  ['HKEY_LOCAL_MACHINE', 'SYSTEM\\CurrentControlSet\\Services\\Vendor'],
  ['HKEY_LOCAL_MACHINE', 'SYSTEM\\CurrentControlSet\\Control\\Class\\Vendor'],
  ['HKEY_CURRENT_USER', 'Software\\Vendor'],
  ['HKEY_CLASSES_ROOT', 'CLSID\\{0}'],
  ['HKEY_USERS', `${user}\\Software\\Vendor`],
])('the key %s\\%s can be deleted', (hive, path) => {
  expect(isDeletable(hive, path)).toBe(true)
})
