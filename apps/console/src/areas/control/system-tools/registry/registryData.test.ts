import { expect, test } from 'vitest'
import { dataOf, faultOf, keyOf, shownData } from './registryData.ts'

test('reads the hive and the path of a key from the address', () => {
  expect(keyOf('HKEY_USERS')).toEqual({ hive: 'HKEY_USERS' })
  expect(keyOf('HKEY_LOCAL_MACHINE\\SOFTWARE\\Contoso')).toEqual({
    hive: 'HKEY_LOCAL_MACHINE',
    path: 'SOFTWARE\\Contoso',
  })
})

test.each([
  ['REG_DWORD', '4294967295', 4_294_967_295],
  ['REG_QWORD', '18446744073709551615', '18446744073709551615'],
  ['REG_MULTI_SZ', 'one\ntwo', ['one', 'two']],
  ['REG_MULTI_SZ', '', []],
  ['REG_SZ', '007', '007'],
  ['REG_BINARY', ' AAEC ', 'AAEC'],
] as const)('sends %s %j as %j', (type, text, data) => {
  expect(faultOf(type, text)).toBeUndefined()
  expect(dataOf(type, text)).toEqual(data)
})

test.each([
  ['REG_DWORD', '4294967296'],
  ['REG_DWORD', '-1'],
  ['REG_QWORD', '1.5'],
  ['REG_BINARY', 'AAE'],
] as const)('rejects %s %j', (type, text) => {
  expect(faultOf(type, text)).toBeDefined()
})

test('shows numbers in both notations', () => {
  expect(shownData({ name: 'Start', type: 'REG_DWORD', data: 2 })).toBe('0x00000002 (2)')
})
