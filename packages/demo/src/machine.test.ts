import { Capabilities, obstacleIn } from '@muster/wire/capabilities.ts'
import { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { Inventory } from '@muster/wire/messages/inventory.ts'
import { expect, test } from 'vitest'
import { capabilitiesOf } from './capabilities.ts'
import { darknessAt } from './darkness.ts'
import { machineOf } from './machine.ts'
import { places } from './places.ts'
import { Vitals } from './vitals.ts'

const fleet = Array.from({ length: 2_000 }, (_, index) => machineOf(index))

test('creates the same simulated machine each time', () => {
  expect(machineOf(1_234)).toEqual(fleet[1_234])
  const figures = () => {
    const vitals = new Vitals(machineOf(7), 1_800_000_000_000)
    return Array.from({ length: 50 }, () => vitals.next(1_800_000_060_000))
  }
  expect(figures()).toEqual(figures())
})

test('creates valid messages of the protocol', () => {
  for (const machine of fleet) {
    expect(Inventory.safeParse(machine.inventory).error).toBeUndefined()
    const vitals = new Vitals(machine, 1_800_000_000_000)
    for (let beat = 0; beat < 20; beat++) expect(Heartbeat.safeParse(vitals.next(1_800_000_000_000)).success).toBe(true)
  }
})

test('creates unique names and IDs, and every place and behavior', () => {
  expect(new Set(fleet.map(({ inventory }) => inventory.facts.hostname)).size).toBe(fleet.length)
  expect(new Set(fleet.map(({ machineId }) => machineId)).size).toBe(fleet.length)
  const codes = new Set(fleet.map(({ inventory }) => inventory.facts.hostname.split('-')[1]))
  expect(codes).toEqual(new Set(places.map(({ code }) => code)))
  expect(new Set(fleet.map(({ behavior }) => behavior)).size).toBe(6)
})

test('reports the same use of the disk in heartbeats and in the inventory', () => {
  for (const machine of fleet) {
    const [, , , used] = new Vitals(machine, 1_800_000_000_000).next(1_800_000_000_000)
    const inInventory = machine.inventory.disks[0]?.usedBytes ?? 0
    expect(Math.abs((used ?? 0) - inInventory) / machine.diskBytes).toBeLessThan(0.001)
  }
})

test('says what each machine can do, as its system does', () => {
  for (const machine of fleet) {
    const told = Capabilities.parse(capabilitiesOf(machine))
    const isWindows = machine.platform.osType === 'windows'
    expect(obstacleIn(told, 'list_registry_keys')).toBe(isWindows ? null : 'UNSUPPORTED_PLATFORM')
    expect(obstacleIn(told, 'script:bash')).toBe(isWindows ? 'UNSUPPORTED_PLATFORM' : null)
    expect(obstacleIn(told, 'list_processes')).toBeNull()
  }
  const python = fleet.map((machine) => obstacleIn(capabilitiesOf(machine), 'script:python'))
  expect(new Set(python)).toEqual(new Set([null, 'MISSING_TOOL']))
})

test('makes one site dark for four of twenty minutes, in turn', () => {
  const minutes = Array.from({ length: 20 * places.length }, (_, minute) => darknessAt(minute * 60_000))
  expect(minutes.slice(0, 20).map((dark) => dark?.leftMs ?? 0)).toEqual([
    ...Array.from({ length: 16 }, () => 0),
    ...[4, 3, 2, 1].map((left) => left * 60_000),
  ])
  expect(new Set(minutes.flatMap((dark) => dark?.place ?? []))).toEqual(new Set(places))
})
