import { encodeUp } from '@muster/wire/up.ts'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'
import { collectInventory, fitInFrame, inventoryHash } from './inventory.ts'
import { InventoryReporter } from './inventory-reporter.ts'
import { Outbox } from './outbox.ts'
import type { InventorySections } from './platform/platform.ts'
import { Settings } from './settings.ts'
import { temporaryFolder } from './testing/test-agent.ts'

const facts = { hostname: 'h', osType: 'linux', architecture: 'x64', agentVersion: '1.0.0' } as const
const empty: InventorySections = { hardware: {}, disks: [], network: [], software: [], services: [], users: [] }
const silent = { info: () => {}, warn: () => {}, error: () => {} }

test('collects an inventory that fits in a frame', async () => {
  const inventory = await collectInventory(facts, new AbortController().signal)
  expect(inventory.hash).toMatch(/^[0-9a-f]{64}$/)
  expect(inventory.facts).toEqual(facts)
  expect(inventory.system?.timeZone).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone)
  encodeUp({ name: 'inventory', sequence: 1, body: inventory })
})

test('can stop collecting', async () => {
  const stop = new AbortController()
  const collecting = collectInventory(facts, stop.signal)
  stop.abort()
  await expect(collecting).rejects.toThrow('collecting was stopped')
})

test('ignores volatile values in the hash, and nothing else', () => {
  const disk = { name: 'sda', totalBytes: 10 }
  const hash = inventoryHash(facts, { ...empty, disks: [{ ...disk, usedBytes: 1 }] })
  expect(inventoryHash(facts, { ...empty, disks: [{ ...disk, usedBytes: 2 }] })).toBe(hash)
  expect(inventoryHash(facts, { ...empty, disks: [{ ...disk, totalBytes: 11 }] })).not.toBe(hash)
  const charged = (percent: number, cycles: number) =>
    inventoryHash(facts, { ...empty, hardware: { battery: { percent, charging: percent < 90, cycles } } })
  expect(charged(95, 7)).toBe(charged(20, 7))
  expect(charged(95, 8)).not.toBe(charged(95, 7))
  expect(inventoryHash({ ...facts, agentVersion: '1.0.1' }, { ...empty, disks: [disk] })).not.toBe(hash)
})

test('writes canonical JSON independently of the order of keys', () => {
  expect(canonicalJson({ b: 1, a: { d: undefined, c: [2, 1] } })).toBe('{"a":{"c":[2,1]},"b":1}')
})

test('truncates an inventory that exceeds a frame', () => {
  const software = Array.from({ length: 10_000 }, (_, n) => ({ name: `${n}-${'p'.repeat(200)}`, version: '1.0' }))
  const drivers = Array.from({ length: 4_000 }, (_, n) => ({ name: `${n}-${'d'.repeat(200)}` }))
  const system = { timeZone: 'Europe/Berlin', drivers, updates: [{ name: 'KB5034441' }] }
  const sections = fitInFrame({ ...empty, software, services: [{ name: 'cron' }], system })
  expect(sections.software.length).toBeGreaterThan(1000)
  expect(sections.services).toHaveLength(1)
  expect(sections.system).toMatchObject({ timeZone: 'Europe/Berlin', updates: [{ name: 'KB5034441' }] })
  expect(sections.system?.drivers?.length).toBeGreaterThan(1000)
  encodeUp({ name: 'inventory', sequence: 2 ** 40, body: { hash: 'h', facts, ...sections } })
})

describe('the inventory reporter', () => {
  async function reporting(dataDirectory: string) {
    const settings = await Settings.open(dataDirectory)
    const outbox = new Outbox()
    const state = { hash: 'one', collected: 0 }
    const collect = async () => {
      state.collected++
      return { hash: state.hash, facts, ...empty }
    }
    const options = { facts: async () => facts, outbox, settings, log: silent, collect, random: () => 0 }
    const reporter = new InventoryReporter(options)
    return { settings, outbox, state, reporter, [Symbol.dispose]: () => reporter.stop() }
  }

  test('sends an unacknowledged inventory, and remembers the acknowledgment', async () => {
    await using folder = await temporaryFolder()
    using first = await reporting(folder.path)
    const sent = Promise.withResolvers<void>()
    first.outbox.attach({ backlogBytes: 0, send: () => sent.resolve() })
    first.reporter.start()
    first.reporter.start()
    await sent.promise
    expect(first.state.collected).toBe(1)
    first.outbox.acknowledge(1)
    await first.settings.change({})
    first.outbox.detach()
    expect((await Settings.open(folder.path)).inventoryHash).toBe('one')
  })

  test('sends on refresh without a change, and collects once for two concurrent refreshes', async () => {
    await using folder = await temporaryFolder()
    using known = await reporting(folder.path)
    await known.settings.change({ inventoryHash: 'one' })
    await Promise.all([known.reporter.refresh(), known.reporter.refresh()])
    expect(known.state.collected).toBe(1)
    expect(known.outbox.size).toBe(1)
  })
})
