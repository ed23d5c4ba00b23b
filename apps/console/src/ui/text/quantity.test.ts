import { expect, test } from 'vitest'
import { bytes, memory } from './quantity.ts'

test('writes rates below one byte with a unit', () => {
  expect(bytes(0.4)).toBe('0 B')
  expect(bytes(0.96)).toBe('1 B')
  expect(bytes(-3)).toBe('-3 B')
})

test('writes memory in binary units, as it is sold', () => {
  expect(memory(24 * 1024 ** 3)).toBe('24 GiB')
  expect(memory(1.5 * 1024 ** 2)).toBe('1.5 MiB')
  expect(bytes(24 * 1024 ** 3)).toBe('25.8 GB')
})
