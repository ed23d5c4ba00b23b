import { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { Inventory } from '@muster/wire/messages/inventory.ts'
import { expect, test } from 'vitest'
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
