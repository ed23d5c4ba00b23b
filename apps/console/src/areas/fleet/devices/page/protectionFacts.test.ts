import { expect, test } from 'vitest'
import { protectionFacts } from './protectionFacts.ts'

const empty = { hash: 'x', collectedAt: '', network: [], software: [], services: [], users: [] }

test('writes what the agent knows about battery, protections and time zone', () => {
  const hardware = {
    battery: { percent: 80, charging: true, cycles: 120, condition: 'Normal' },
    tpm: { present: true, version: '2.0' },
    secureBoot: false,
    protections: [{ name: 'FileVault', state: 'on' }],
  }
  const disks = [{ name: 'Disk 0', mount: 'C:\\', encryption: 'suspended' }]
  const inventory = { ...empty, hardware, disks, system: { timeZone: 'Europe/Berlin' } }
  expect(protectionFacts({ inventory })).toEqual([
    ['Time zone', 'Europe/Berlin'],
    ['Battery', '80%, charging, 120 cycles, condition Normal'],
    ['TPM', 'yes, version 2.0'],
    ['Secure Boot', 'off'],
    ['Disk encryption', 'C:\\ suspended'],
    ['FileVault', 'on'],
  ])
})

test('names the workgroup, the domain and the tenant of the machine', () => {
  const factsOf = (membership: object) =>
    protectionFacts({ inventory: { ...empty, hardware: {}, disks: [], system: { membership: { ...membership } } } })
  expect(factsOf({ workgroup: 'WORKGROUP' })).toEqual([['Workgroup', 'WORKGROUP']])
  expect(factsOf({ domain: 'corp.example.com', entra: { kind: 'joined', tenantName: 'Contoso' } })).toEqual([
    ['Domain', 'corp.example.com'],
    ['Entra ID', 'Contoso'],
  ])
  expect(factsOf({ entra: { kind: 'registered', tenantId: '1-2' } })).toEqual([
    ['Entra ID', '1-2 (account of a user only)'],
  ])
  expect(factsOf({ domain: 3, entra: 'yes' })).toEqual([])
})

test('leaves out what the agent does not know', () => {
  expect(protectionFacts({ inventory: null })).toEqual([])
  expect(protectionFacts({ inventory: { ...empty, hardware: {}, disks: [{ name: 'sda' }], system: {} } })).toEqual([])
  const strange = { hardware: { battery: 'full', tpm: [], protections: {} }, disks: [], system: { timeZone: 3 } }
  expect(protectionFacts({ inventory: { ...empty, ...strange } })).toEqual([])
})
