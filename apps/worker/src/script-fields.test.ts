import { describe, expect, it } from 'vitest'
import { inventoryChanges } from '../../../packages/areas/src/fleet/devices/inventory/inventory-log.ts'
import { fieldsIn, meantBy } from './script-fields.ts'

describe('custom fields that a script writes', () => {
  it('are lines of their own, the last one of a key counts, and anything else is output', () => {
    const text =
      'hello\n::muster-field room=B 12\n ::muster-field no=1\n::muster-field Room=x\n::muster-field room=C 3\r\n::muster-field off=\n'
    const { values, refused } = fieldsIn(text)
    expect([...values]).toEqual([
      ['room', 'C 3'],
      ['off', ''],
    ])
    expect(refused).toEqual([{ field: 'Room=x', reason: 'is not of the form key=value' }])
  })

  it('are at most fifty, and what is beyond is refused', () => {
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
  ] as const)('a %s is meant by %s', (type, text, value) => {
    expect(meantBy({ key: 'x', type, options: ['a', 'b'], required: false }, text)).toEqual({ value })
  })

  it.each([
    ['number', 'twelve', 'x must be a number'],
    ['boolean', 'yes', 'x must be true or false'],
    ['time', 'soon', 'x must be an ISO 8601 time'],
    ['choice', 'z', 'x must be one of a, b'],
  ] as const)('a %s is not meant by %s', (type, text, fault) => {
    expect(meantBy({ key: 'x', type, options: ['a', 'b'], required: false }, text)).toEqual({ fault })
  })
})

describe('what changed between two inventories', () => {
  const empty = { hardware: {}, disks: [], network: [], software: [], services: [], users: [] }

  it('is told by name, and what comes and goes by itself is not', () => {
    const before = {
      ...empty,
      hardware: { model: 'A', cpuMhz: 900 },
      disks: [{ name: 'sda', totalBytes: 10, usedBytes: 1 }],
      software: [
        { name: 'bash', version: '1' },
        { name: 'vim', version: '9' },
      ],
      users: [{ name: 'ann', loggedIn: true }],
    }
    const after = {
      ...empty,
      hardware: { model: 'B', cpuMhz: 2_000 },
      disks: [{ name: 'sda', totalBytes: 10, usedBytes: 5 }],
      software: [
        { name: 'bash', version: '2' },
        { name: 'curl', version: '8' },
      ],
      users: [{ name: 'ann', loggedIn: false }],
    }
    expect(inventoryChanges(before, after).map(({ section, action, name }) => `${section} ${action} ${name}`)).toEqual([
      'hardware changed model',
      'software changed bash',
      'software removed vim',
      'software added curl',
    ])
  })

  it('two things of one name are two', () => {
    const twice = { ...empty, software: [{ name: 'libc' }, { name: 'libc' }] }
    expect(inventoryChanges({ ...empty, software: [{ name: 'libc' }] }, twice)).toMatchObject([
      { action: 'added', name: 'libc (2)' },
    ])
  })
})
