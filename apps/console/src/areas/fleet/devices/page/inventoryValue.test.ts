import { expect, test } from 'vitest'
import { inventoryValue } from './inventoryValue.ts'

const date = (iso: string) => iso.slice(0, 10)

test.each([
  ['installedAt', Date.UTC(2026, 5, 1, 12), '2026-06-01'],
  ['installedAt', '2026-06-01T12:00:00.000Z', '2026-06-01'],
  ['date', Date.UTC(2024, 0, 9), '2024-01-09'],
  ['speedMbit', 100, '100 Mbit/s'],
  ['speedMbit', 2_500, '2.5 Gbit/s'],
  ['memoryBytes', 17_179_869_184, '16 GiB'],
  ['cpuCores', 14, '14'],
  ['virtual', false, 'no'],
  ['addresses', ['10.0.0.1', 'fe80::1'], '10.0.0.1, fe80::1'],
  ['gateways', [], '–'],
  ['lastLoginAt', 1e300, '1e+300'],
] as const)('writes %s %j as %j', (name, value, words) => {
  expect(inventoryValue(name, value, date)).toBe(words)
})
