import type { NetworkInterface } from '@muster/wire/messages/inventory.ts'
import { word } from '../../inventory-values.ts'
import { type Mac, printed } from '../mac.ts'

const addressesMax = 64
const speeds: readonly [RegExp, number][] = [
  [/\b10Gbase/i, 10_000],
  [/\b5000base/i, 5_000],
  [/\b2500base/i, 2_500],
  [/\b1000base/i, 1_000],
  [/\b100base/i, 100],
  [/\b10base/i, 10],
]

export async function collectNetwork(mac: Mac): Promise<NetworkInterface[]> {
  const ports = parsePorts(await printed(mac, 'networksetup', ['-listallhardwareports']))
  return parseInterfaces(await printed(mac, 'ifconfig', ['-a']), ports)
}

/** Names of the hardware ports by device: `Hardware Port: Wi-Fi` is followed by `Device: en0`. */
export function parsePorts(text: string): Map<string, string> {
  const ports = text.matchAll(/^Hardware Port: (.*\S)\s*\nDevice: (\S+)$/gmu)
  return new Map([...ports].map(([, name = '', device = '']) => [device, name]))
}

/** `ifconfig -a`: one block per device. Software devices that have no address, and loopback, are left out. */
export function parseInterfaces(text: string, ports: ReadonlyMap<string, string>): NetworkInterface[] {
  return text.split(/^(?=\S)/m).flatMap((block) => {
    const [, device = '', flags = ''] = /^([\w.-]+): flags=[\da-f]+<([^>]*)>/i.exec(block) ?? []
    const port = ports.get(device)
    const addresses = [...block.matchAll(/^\s+inet6? ([\da-f.:]+)/gim)].map(([, address = '']) => address)
    if (device === '' || /\bLOOPBACK\b/.test(flags) || (port === undefined && addresses.length === 0)) return []
    const status = /^\s+status: (.*\S)/m.exec(block)?.[1]
    const media = /^\s+media: (.*)$/m.exec(block)?.[1] ?? ''
    return [
      {
        name: (port === undefined ? device : `${port} (${device})`).slice(0, 255),
        mac: word(/^\s+ether ([\da-f:]{17})/im.exec(block)?.[1]),
        addresses: addresses.slice(0, addressesMax),
        up: status === undefined ? /\bRUNNING\b/.test(flags) : status === 'active',
        virtual: port === undefined,
        speedMbit: speeds.find(([pattern]) => pattern.test(media))?.[1],
      },
    ]
  })
}
