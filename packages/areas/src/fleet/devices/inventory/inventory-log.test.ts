import { describe, expect, it } from 'vitest'
import { inventoryChanges } from './inventory-log.ts'

describe('the changes between two inventories', () => {
  const empty = { hardware: {}, disks: [], network: [], software: [], services: [], users: [] }

  it('are listed by name, without values that change by themselves', () => {
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

  it('keep two items of the same name apart', () => {
    const twice = { ...empty, software: [{ name: 'libc' }, { name: 'libc' }] }
    expect(inventoryChanges({ ...empty, software: [{ name: 'libc' }] }, twice)).toMatchObject([
      { action: 'added', name: 'libc (2)' },
    ])
  })
})
