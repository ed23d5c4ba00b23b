import { describe, expect, it } from 'vitest'
import { valueFrom } from './field-definitions.ts'
import { fieldsIn } from './script-fields.outcomes.ts'

describe('the custom fields that a script sets', () => {
  it('are read from lines of their own; the last line of a key counts', () => {
    const text =
      'hello\n::muster-field room=B 12\n ::muster-field no=1\n::muster-field Room=x\n::muster-field room=C 3\r\n::muster-field off=\n'
    const { values, refused } = fieldsIn(text)
    expect([...values]).toEqual([
      ['room', 'C 3'],
      ['off', ''],
    ])
    expect(refused).toEqual([{ field: 'Room=x', reason: 'is not of the form key=value' }])
  })

  it('are at most fifty; further ones are refused', () => {
    const lines = Array.from({ length: 52 }, (_, index) => `::muster-field f${index}=1`)
    const { values, refused } = fieldsIn(lines.join('\n'))
    expect([values.size, refused.map(({ field }) => field)]).toEqual([50, ['f50', 'f51']])
  })

  it.each([
    ['number', '12.5', 12.5],
    ['boolean', 'true', true],
    ['time', '2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z'],
    ['choice', 'a', 'a'],
    ['text', 'any', 'any'],
    ['text', '', null],
  ] as const)('converts to a %s: %s', (type, text, value) => {
    expect(valueFrom({ key: 'x', type, options: ['a', 'b'], required: false }, text)).toEqual({ value })
  })

  it.each([
    ['number', 'twelve', 'x must be a number'],
    ['boolean', 'yes', 'x must be true or false'],
    ['time', 'soon', 'x must be an ISO 8601 time'],
    ['choice', 'z', 'x must be one of a, b'],
  ] as const)('rejects for a %s: %s', (type, text, fault) => {
    expect(valueFrom({ key: 'x', type, options: ['a', 'b'], required: false }, text)).toEqual({ fault })
  })
})
