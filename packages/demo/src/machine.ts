import type { Inventory } from '@muster/wire/messages/inventory.ts'
import { agentVersions, type Model, type Platform, type Program, platforms } from './catalog.ts'
import { Chance } from './chance.ts'
import { placeOf } from './places.ts'
import { securityOf, systemOf } from './system-state.ts'

const gib = 2 ** 30
const gb = 10 ** 9
const dayMs = 86_400_000
const installedFrom = Date.UTC(2024, 0, 1)

/** How a simulated machine behaves. */
export type Behavior = 'steady' | 'busy' | 'short of disk' | 'short of memory' | 'restless' | 'gone'

export interface Machine {
  readonly index: number
  readonly machineId: string
  readonly behavior: Behavior
  readonly platform: Platform
  readonly memoryBytes: number
  readonly diskBytes: number
  readonly inventory: Inventory
}

/** The machine with this number: the same on every run. */
export function machineOf(index: number): Machine {
  const chance = new Chance(`machine ${index}`)
  const platform = chance.weighted(platforms)
  const model = chance.pick(platform.models)
  const memoryBytes = chance.pick(model.memoryGib) * gib
  const diskBytes = chance.pick(model.diskGb) * gb
  const behavior = chance.weighted<Behavior>([
    ['steady', 82],
    ['busy', 4],
    ['short of disk', 3],
    ['short of memory', 3],
    ['restless', 4],
    ['gone', 4],
  ])
  const hardware = { platform, model, behavior, memoryBytes, diskBytes }
  const inventory = inventoryOf(index, chance, hardware)
  return { index, machineId: chance.hex(32), behavior, platform, memoryBytes, diskBytes, inventory }
}

interface Hardware {
  readonly platform: Platform
  readonly model: Model
  readonly behavior: Behavior
  readonly memoryBytes: number
  readonly diskBytes: number
}

function inventoryOf(index: number, chance: Chance, hardware: Hardware): Inventory {
  const { platform, model, behavior, memoryBytes, diskBytes } = hardware
  const { code } = placeOf(index)
  const [osVersion, kernelVersion] = chance.pick(platform.versions)
  const isVirtual = model.chassis === 'virtual'
  return {
    hash: `demo-${index}-1`,
    facts: {
      hostname: `${platform.prefix}-${code}-${String(index + 1).padStart(4, '0')}`,
      osType: platform.osType,
      osName: platform.osName,
      osVersion,
      kernelVersion,
      architecture: platform.architecture,
      agentVersion: chance.weighted(agentVersions),
    },
    hardware: {
      manufacturer: model.manufacturer,
      model: model.model,
      serialNumber: chance.hex(10).toUpperCase(),
      chassis: model.chassis,
      virtual: isVirtual,
      biosVendor: isVirtual ? 'SeaBIOS' : model.manufacturer,
      biosVersion: `1.${chance.whole(2, 31)}.${chance.whole(0, 9)}`,
      cpuModel: model.cpu,
      cpuCores: model.cores,
      cpuThreads: model.cores * (isVirtual ? 1 : 2),
      memoryBytes,
      ...securityOf(index, platform, model),
    },
    disks: [
      {
        name: platform.disk.name,
        kind: isVirtual ? 'virtual' : 'ssd',
        fileSystem: platform.disk.fileSystem,
        mount: platform.disk.mount,
        totalBytes: diskBytes,
        usedBytes: Math.floor(diskBytes * (behavior === 'short of disk' ? 0.94 : 0.15 + chance.share() * 0.65)),
      },
    ],
    network: [
      {
        name: platform.network,
        mac: Array.from({ length: 5 }, () => chance.hex(2)).reduce((mac, part) => `${mac}:${part}`, '02'),
        addresses: [`10.${chance.whole(10, 60)}.${chance.whole(0, 254)}.${chance.whole(2, 254)}`],
        up: true,
        virtual: isVirtual,
        speedMbit: chance.pick([1_000, 2_500, 10_000]),
      },
    ],
    software: platform.programs
      .filter(({ share }) => chance.percent(share))
      .map((program) => installed(program, platform, chance)),
    services: platform.services.map(([name, displayName]) => ({
      name,
      displayName,
      state: chance.percent(93) ? 'running' : 'stopped',
      startup: chance.percent(85) ? 'automatic' : 'manual',
    })),
    users: [
      { name: platform.osType === 'windows' ? 'Administrator' : 'root', uid: '0', admin: true, loggedIn: false },
      {
        name: chance.pick(['a.berg', 'c.lind', 'j.mora', 'k.osei', 'm.roth', 's.vidal']),
        uid: '1000',
        admin: false,
        loggedIn: chance.percent(60),
      },
    ],
    system: systemOf(index, platform),
  }
}

function installed({ name, publisher, versions }: Program, { source }: Platform, chance: Chance) {
  const installedAt = installedFrom + chance.whole(0, 600) * dayMs
  return { name, version: chance.pick(versions), publisher, source, installedAt }
}
