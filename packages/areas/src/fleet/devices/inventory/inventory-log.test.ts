import { describe, expect, it } from 'vitest'
import { inventoryChanges } from './inventory-log.ts'

describe('the changes between two inventories', () => {
  const empty = { hardware: {}, disks: [], network: [], software: [], services: [], users: [] }

  it('are listed by name, without values that change by themselves', () => {
    const before = {
      ...empty,
      hardware: { model: 'A', cpuMhz: 900, battery: { percent: 90 } },
      disks: [{ name: 'sda', totalBytes: 10, usedBytes: 1 }],
      software: [
        { name: 'bash', version: '1' },
        { name: 'vim', version: '9' },
      ],
      users: [{ name: 'ann', loggedIn: true }],
    }
    const after = {
      ...empty,
      hardware: { model: 'B', cpuMhz: 2_000, battery: { percent: 80 } },
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

  it('have updates, drivers, features, the time zone and the domain, if both agents report them', () => {
    const restart = ['a pending file rename']
    const system = {
      timeZone: 'Europe/Berlin',
      membership: { workgroup: 'WORKGROUP' },
      pendingRestart: [],
      updates: [{ name: 'KB1' }],
      drivers: [{ name: 'nic', version: '1', state: 'running' }],
    }
    const later = {
      timeZone: 'Europe/Paris',
      membership: { domain: 'corp.example.com' },
      pendingRestart: restart,
      updates: [{ name: 'KB1' }, { name: 'KB2' }],
      drivers: [{ name: 'nic', version: '2', state: 'stopped' }],
      features: [{ name: 'Hyper-V', enabled: true }],
    }
    const changes = inventoryChanges({ ...empty, system }, { ...empty, system: later })
    expect(changes.map(({ section, action, name }) => `${section} ${action} ${name}`)).toEqual([
      'system changed timeZone',
      'system changed membership',
      'drivers changed nic',
      'updates added KB2',
    ])
    expect(inventoryChanges(empty, { ...empty, system })).toEqual([])
    expect(inventoryChanges({ ...empty, system }, { ...empty, system: {} })).toEqual([])
  })

  it('keep two items of the same name apart', () => {
    const twice = { ...empty, software: [{ name: 'libc' }, { name: 'libc' }] }
    expect(inventoryChanges({ ...empty, software: [{ name: 'libc' }] }, twice)).toMatchObject([
      { action: 'added', name: 'libc (2)' },
    ])
  })
})
