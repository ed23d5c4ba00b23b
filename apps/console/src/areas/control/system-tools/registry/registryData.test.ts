import { expect, test } from 'vitest'
import { dataOf, faultOf, keyOf, shownData, textOf } from './registryData.ts'

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
  ['REG_BINARY', '01 02 ff', 'AQL/'],
  ['REG_BINARY', 'FF,00', '/wA='],
  ['REG_BINARY', '0102', '0102'],
  ['REG_BINARY', 'ff', '/w=='],
  ['REG_DWORD', ' 0x1F ', 31],
  ['REG_QWORD', '0xFFFFFFFFFFFFFFFF', '18446744073709551615'],
] as const)('sends %s %j as %j', (type, text, data) => {
  expect(faultOf(type, text)).toBeUndefined()
  expect(dataOf(type, text)).toEqual(data)
})

test.each([
  ['REG_DWORD', '4294967296'],
  ['REG_DWORD', '-1'],
  ['REG_DWORD', '0x100000000'],
  ['REG_DWORD', '0x'],
  ['REG_BINARY', '1 2 f'],
  ['REG_QWORD', '1.5'],
  ['REG_BINARY', 'AAE'],
] as const)('rejects %s %j', (type, text) => {
  expect(faultOf(type, text)).toBeDefined()
})

test('shows numbers in both notations', () => {
  expect(shownData({ type: 'REG_DWORD', data: 2 })).toBe('0x00000002 (2)')
})

test('shows bytes in hexadecimal, which the form takes back', () => {
  expect(textOf({ type: 'REG_BINARY', data: 'AQL/' })).toBe('01 02 ff')
  expect(dataOf('REG_BINARY', textOf({ type: 'REG_BINARY', data: '/wA=' }))).toBe('/wA=')
  expect(dataOf('REG_BINARY', textOf({ type: 'REG_BINARY', data: '' }))).toBe('')
})
