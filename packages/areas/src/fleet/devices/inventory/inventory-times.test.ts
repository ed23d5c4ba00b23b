import { expect, it } from 'vitest'
import { shownInventory } from './inventory-times.ts'

const at = 1_700_000_000_000
const iso = '2023-11-14T22:13:20.000Z'

it('shows all times of an inventory as ISO 8601 text, and leaves the rest', () => {
  const rest = { hash: 'h', collectedAt: iso, hardware: { cpuMhz: 5 }, disks: [], network: [], services: [] }
  const shown = shownInventory({
    ...rest,
    software: [{ name: 'bash', installedAt: at }, { name: 'curl' }],
    users: [{ name: 'root', lastLoginAt: at }],
    system: { timeZone: 'UTC', drivers: [{ name: 'e1000', date: at }], updates: [{ name: 'KB1', installedAt: at }] },
  })
  expect(shown).toEqual({
    ...rest,
    software: [{ name: 'bash', installedAt: iso }, { name: 'curl' }],
    users: [{ name: 'root', lastLoginAt: iso }],
    system: { timeZone: 'UTC', drivers: [{ name: 'e1000', date: iso }], updates: [{ name: 'KB1', installedAt: iso }] },
  })
})
