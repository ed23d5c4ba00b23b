import { expect, test } from 'vitest'
import { RegistryKeyName, SetRegistryValue } from './registry.ts'

const hive = 'HKEY_LOCAL_MACHINE'
const path = 'SOFTWARE\\Vendor'

test('a name of a key has at most 255 characters', () => {
  const isValid = (length: number) =>
    RegistryKeyName.safeParse({ hive, path: `SOFTWARE\\${'x'.repeat(length)}` }).success
  expect([isValid(255), isValid(256)]).toEqual([true, false])
})

test('a value whose name does not fit into a URL cannot be written, because it could not be deleted', () => {
  const isValid = (name: string) => SetRegistryValue.safeParse({ hive, path, name, type: 'REG_SZ', data: '' }).success
  expect([isValid('x'.repeat(8_000)), isValid('x'.repeat(8_192))]).toEqual([true, false])
  expect([isValid('é'.repeat(1_300)), isValid('é'.repeat(1_400))]).toEqual([true, false])
})
