import { describe, expect, it } from 'vitest'
import { unfitInput } from './storable.ts'

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { value }
  return value
}

describe('unfitInput', () => {
  it.each([{}, { a: [1, null, 'ä', { b: '💥' }] }, [], 'text', null, undefined, nested(30)])('lets pass %j', (fit) => {
    expect(unfitInput(fit)).toBeNull()
  })

  it.each([
    'a\0b',
    { name: 'a\0b' },
    { 'a\0b': 1 },
    { list: [{ name: '\ud800' }] },
    { name: 'x\udc00' },
    JSON.parse('{"__proto__": {"admin": true}}'),
    nested(34),
  ])('refuses what no database can hold: %j', (unfit) => {
    expect(unfitInput(unfit)).toEqual(expect.any(String))
  })

  it('refuses the worst shapes without walking all of them', () => {
    expect(unfitInput(nested(100_000))).toMatch(/nested/)
    expect(unfitInput(Array.from({ length: 1_000_000 }, () => 0))).toMatch(/values/)
  })
})
