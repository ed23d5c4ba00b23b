import { getServers } from 'node:dns'
import type { Disk, Hardware, NetworkInterface } from '@muster/wire/messages/inventory.ts'
import information from 'systeminformation'
import { whole, word } from '../../inventory-values.ts'
import { MachineFiles } from './machine-files.ts'
import { readVolumes } from './mounts.ts'

const serversMax = 16

export async function collectHardware(): Promise<Hardware> {
  const { system, bios, chassis, cpu, mem, graphics } = await information.get({
    system: 'manufacturer, model, serial, virtual',
    bios: 'vendor, version',
    chassis: 'type, assetTag',
    cpu: 'manufacturer, brand, cores, physicalCores, speed',
    mem: 'total',
    graphics: 'controllers',
  })
  const files = new MachineFiles()
  return {
    manufacturer: word(system?.manufacturer),
    model: word(system?.model),
    serialNumber: word(system?.serial),
    assetTag: word(chassis?.assetTag),
    chassis: word(chassis?.type)?.slice(0, 64),
    virtual: typeof system?.virtual === 'boolean' ? system.virtual : undefined,
    biosVendor: word(bios?.vendor),
    biosVersion: word(bios?.version),
    cpuModel: word([cpu?.manufacturer, cpu?.brand].filter(Boolean).join(' ')),
    cpuCores: whole(cpu?.physicalCores),
    cpuThreads: whole(cpu?.cores),
    cpuMhz: whole((cpu?.speed ?? 0) * 1000),
    memoryBytes: whole(mem?.total),
    graphics: controllerNames(graphics?.controllers),
    tpm: await files.tpm(),
    secureBoot: await files.secureBoot(),
    battery: await files.battery(),
  }
}

function controllerNames(controllers: unknown): string[] | undefined {
  if (!Array.isArray(controllers)) return undefined
  const names = controllers.map((controller: { model?: unknown }) => word(controller.model))
  return names.filter((name) => name !== undefined).slice(0, 32)
}

/** Physical disks, then the volumes on them. Only volumes have a usage. */
export async function collectDisks(): Promise<Disk[]> {
  const [devices, volumes] = [await information.diskLayout(), await readVolumes()]
  const physical = devices.map((device) => ({
    name: (word([device.vendor, device.name].filter(Boolean).join(' ')) ?? device.device).slice(0, 255),
    kind: word([device.interfaceType, device.type].filter(Boolean).join(' '))?.slice(0, 64) ?? 'disk',
    totalBytes: whole(device.size),
  }))
  const files = new MachineFiles()
  const mounted = volumes.map(async (volume) => ({
    name: volume.device.slice(0, 255),
    kind: 'volume',
    fileSystem: volume.fileSystem.slice(0, 64),
    mount: volume.mount.slice(0, 1024),
    totalBytes: volume.totalBytes,
    usedBytes: volume.usedBytes,
    encryption: await files.encryption(volume.device),
  }))
  return [...physical, ...(await Promise.all(mounted))]
}

export async function collectNetwork(): Promise<NetworkInterface[]> {
  const [found, gateways] = [await information.networkInterfaces(), await new MachineFiles().gateways()]
  // Linux has one list for the machine; it belongs to the interfaces that lead out of it.
  const dnsServers = getServers().slice(0, serversMax)
  return (Array.isArray(found) ? found : [found])
    .filter((entry) => !entry.internal)
    .map((entry) => ({
      name: entry.iface.slice(0, 255),
      mac: word(entry.mac)?.slice(0, 64),
      addresses: [entry.ip4, entry.ip6].filter((address) => address !== '').map((address) => address.slice(0, 64)),
      up: entry.operstate === 'up',
      virtual: entry.virtual,
      speedMbit: whole(entry.speed),
      gateways: gateways.get(entry.iface)?.slice(0, serversMax),
      dnsServers: gateways.has(entry.iface) ? dnsServers : undefined,
    }))
}
