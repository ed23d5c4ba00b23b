import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decoded, problemOfJson } from './json-text.ts'

describe('JSON text', () => {
  it('is accepted as programs write it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
        expect(problemOfJson(JSON.stringify(value, null, indent))).toBeNull()
      }),
    )
  })

  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"b":{"c":1 , "c" : 2}}',
    '[{"a":1},{"a":1,"\\u0061":1}]',
    '{"\\"":1,"\\"":2}',
    '{"a\\\\":1,"a\\\\":2}',
  ])('is rejected when a field occurs twice: %s', (text) => {
    expect(problemOfJson(text)).toBe('The input contains a field twice')
  })

  it('may have the same field in different objects, and text that looks like a field', () => {
    for (const text of ['[{"a":1},{"a":1}]', '{"a":{"a":1}}', '{"a":"\\"a\\":1,","b":["a","a"]}', '{"a":"a"}']) {
      expect(problemOfJson(text)).toBeNull()
    }
  })

  it('has limits of depth and fields, which are checked before parsing', () => {
    expect(problemOfJson('['.repeat(100_000))).toMatch(/nested deeper/)
    expect(problemOfJson('{"a":'.repeat(100_000))).toMatch(/nested deeper/)
    const fields = Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`)
    expect(problemOfJson(`{${fields.join(',')}}`)).toMatch(/more than 10000 fields/)
    expect(problemOfJson(`["${'\\\\'.repeat(400_000)}"]`)).toBeNull()
  })

  it('is decoded only from UTF-8', () => {
    expect(decoded(Buffer.from('{"ä":"😀"}'))).toBe('{"ä":"😀"}')
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]) {
      expect(decoded(Uint8Array.from(bytes))).toBeNull()
    }
  })
})
