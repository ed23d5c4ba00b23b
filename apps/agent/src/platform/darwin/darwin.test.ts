import { writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import { Facts, Inventory } from '@muster/wire/messages/inventory.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { darwinOn } from './darwin.ts'
import { obstaclesOn } from './obstacles.ts'
import { scriptSystemOf } from './scripts.ts'
import { type FakeMac, fakeMac } from './testing/fake-mac.ts'
import { recorded } from './testing/recorded.ts'

let mac: FakeMac
let silent: FakeMac
beforeAll(async () => {
  mac = await fakeMac(recorded)
  silent = await fakeMac({})
})
afterAll(async () => {
  await mac[Symbol.asyncDispose]()
  await silent[Symbol.asyncDispose]()
})

const inventoryOf = async ({ mac }: FakeMac) => {
  const platform = darwinOn(mac)
  const facts = { ...(await platform.facts()), agentVersion: '1.0.0' }
  return Inventory.parse({ hash: 'x', facts, ...(await platform.collectInventory()) })
}

test('reads the facts and the identity of a Mac', async () => {
  expect(await darwinOn(mac.mac).facts()).toMatchObject({
    ...{ hostname: hostname(), osType: 'macos', osName: 'macOS', osVersion: '14.3.1 (a)' },
    architecture: process.arch,
  })
  expect(await darwinOn(mac.mac).machineSeed()).toBe('0F5E1B1A-7A5C-5B2E-9B37-6C2F1D2A3B4C')
})

test('reads vitals from the kernel and three programs', async () => {
  const vitals = Heartbeat.parse(await darwinOn(mac.mac).vitals().read())
  const [, memoryUsed, memoryTotal, diskUsed, diskTotal, load, uptime, received, sent, processes] = vitals
  expect(memoryUsed).toBe(Math.min(memoryTotal ?? 0, (103_795 - 4 + 131_904 + 194_212) * 16_384))
  expect(diskUsed).toBeLessThan(diskTotal ?? 0)
  expect([load, uptime].every((figure) => (figure ?? -1) >= 0)).toBe(true)
  expect([received, sent, processes]).toEqual([8_000_500_000, 1_200_300_000, 4])
})

test('sends a heartbeat without the figures of a program that hangs', async () => {
  await using hung = await fakeMac({ ...recorded, vm_stat: [['*', '']] })
  await writeFile(join(hung.mac.path, 'vm_stat'), '#!/bin/sh\nexec /bin/sleep 8\n')
  const vitals = darwinOn(hung.mac).vitals()
  for (let heartbeat = 0; heartbeat < 2; heartbeat++) {
    const [, memoryUsed, , , , , , received] = await vitals.read()
    expect([memoryUsed, received]).toEqual([null, 8_000_500_000])
  }
}, 10_000)

test('collects the hardware with battery and protections', async () => {
  const { hardware } = await inventoryOf(mac)
  expect(hardware).toMatchObject({
    ...{ manufacturer: 'Apple Inc.', model: 'MacBook Air (MacBookAir10,1)', serialNumber: 'C02TESTSERIAL' },
    ...{ chassis: 'Notebook', virtual: false, biosVersion: '10151.61.4', cpuModel: 'Apple M1', cpuCores: 8 },
    graphics: ['Apple M1'],
    battery: { percent: 87, charging: false, cycles: 253, condition: 'Good' },
    protections: [
      { name: 'FileVault', state: 'on' },
      { name: 'System Integrity Protection', state: 'enabled' },
      { name: 'Gatekeeper', state: 'enabled' },
    ],
  })
})

test('collects disks, and volumes with any name, without those that macOS hides', async () => {
  const { disks } = await inventoryOf(mac)
  expect(disks.map(({ name, kind, fileSystem, mount }) => [name, kind, fileSystem, mount])).toEqual([
    ['APPLE SSD AP0512Q', 'Apple Fabric SSD', undefined, undefined],
    ['/dev/disk3s1s1', 'volume', 'apfs', '/'],
    ['/dev/disk3s5', 'volume', 'apfs', '/System/Volumes/Data'],
    ['/dev/disk4s2', 'volume', 'hfs', '/Volumes/Time on (disk) Ω'],
  ])
  // The system volume of a container alone would look almost empty.
  expect(disks[1]?.usedBytes).toBe((482_797_652 - 200_000_000) * 1024)
  expect(disks[3]?.usedBytes).toBe(40_000_000 * 1024)
  expect(await mac.asked()).not.toContain('diskutil info -plist -force')
})

test('collects network adapters by the names of their ports', async () => {
  const { network } = await inventoryOf(mac)
  expect(network).toEqual([
    {
      ...{ name: 'Wi-Fi (en0)', mac: 'a4:83:e7:00:11:22', up: true, virtual: false },
      addresses: ['fe80::1c2:3d4:5e6:7f80', '192.168.1.20'],
    },
    {
      ...{ name: 'USB 10/100/1000 LAN (en7)', mac: '00:e0:4c:68:00:01', up: false, virtual: false },
      ...{ addresses: [], speedMbit: 1000 },
    },
    { name: 'utun3', addresses: ['10.8.0.2'], up: true, virtual: true },
  ])
})

test('collects applications and the receipts of packages', async () => {
  const { software } = await inventoryOf(mac)
  expect(software).toEqual([
    { name: 'Loose', source: 'app' },
    { name: 'Safari', version: '17.3', publisher: 'Apple', source: 'app', installedAt: 1_705_367_133_000 },
    {
      ...{ name: 'com.apple.pkg.CLTools_Executables', version: '15.1.0.0.1.1700200546', source: 'pkg' },
      installedAt: 1_700_300_000_000,
    },
    { name: 'com.example.agent', source: 'pkg' },
    { name: 'Überblick 🗂', version: '2.0', publisher: 'Example LLC', source: 'app' },
  ])
})

test('collects services with state and startup, and the accounts of people', async () => {
  const { services, users } = await inventoryOf(mac)
  expect(services).toEqual([
    { name: 'com.apple.ftpd', state: 'inactive', startup: 'disabled' },
    { name: 'com.apple.idle', state: 'inactive', startup: 'enabled' },
    { name: 'com.apple.mDNSResponder', state: 'running', startup: 'enabled' },
    { name: 'com.apple.periodic-daily', state: 'inactive', startup: 'enabled' },
    { name: 'com.example.broken', state: 'failed', startup: 'enabled' },
    { name: 'com.old.style', state: 'inactive', startup: 'disabled' },
  ])
  const lastLoginAt = expect.any(Number)
  expect(users).toEqual([
    { name: 'ann', uid: '501', admin: true, loggedIn: true, lastLoginAt },
    { name: "bob.o'neil", uid: '502', admin: false, loggedIn: false },
    { name: 'root', uid: '0', admin: true, loggedIn: false },
  ])
})

test('reports what it can of a Mac on which every program is missing', async () => {
  const { facts, hardware, disks, network, software, services, users } = await inventoryOf(silent)
  expect(Facts.parse(facts)).toMatchObject({ osType: 'macos', osName: 'macOS' })
  expect(hardware).toMatchObject({ manufacturer: 'Apple Inc.', protections: [] })
  expect(hardware.battery).toBeUndefined()
  expect([disks, network, software, services, users]).toEqual([[], [], [], [], []])
  expect(await darwinOn(silent.mac).machineSeed()).toBeUndefined()
  const [, memoryUsed, , , , , , received, sent, processes] = await darwinOn(silent.mac).vitals().read()
  expect([memoryUsed, received, sent, processes]).toEqual([null, null, null, null])
})

test('answers UNSUPPORTED_PLATFORM for a tool whose program is missing', async () => {
  const tools = darwinOn(silent.mac).tools([])
  await expect(tools.services.list()).rejects.toMatchObject({ code: 'UNSUPPORTED_PLATFORM' })
  await expect(tools.services.control('x', 'start')).rejects.toMatchObject({ code: 'UNSUPPORTED_PLATFORM' })
  await expect(tools.eventLogs.events({ name: 'unified', limit: 1 })).rejects.toMatchObject({
    code: 'UNSUPPORTED_PLATFORM',
  })
})

test('names the programs and languages that are missing, and what only root may do', async () => {
  const scripts = scriptSystemOf(silent.mac)
  const found = await obstaclesOn(silent.mac, scripts, true)
  expect(found).toMatchObject({
    list_services: 'MISSING_TOOL',
    list_processes: 'MISSING_TOOL',
    reboot: 'MISSING_TOOL',
    'script:osascript': 'MISSING_TOOL',
    'script:cmd': 'UNSUPPORTED_PLATFORM',
    get_registry_value: 'UNSUPPORTED_PLATFORM',
  })
  await using whole = await fakeMac({ launchctl: [], shutdown: [], ps: [], zsh: [], osascript: [] })
  const able = await obstaclesOn(whole.mac, scriptSystemOf(whole.mac), true)
  expect([able.list_services, able.reboot, able['script:osascript']]).toEqual([undefined, undefined, undefined])
  const user = await obstaclesOn(whole.mac, scriptSystemOf(whole.mac), false)
  expect(user).toMatchObject({ reboot: 'NOT_PERMITTED', stop_service: 'NOT_PERMITTED', run_task: 'NOT_PERMITTED' })
})
