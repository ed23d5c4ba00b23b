import type { NetworkInterface } from '@muster/wire/messages/inventory.ts'
import { u32Buffer } from '../native/accounts.ts'
import { Win32Error } from '../native/errors.ts'
import { koffi } from '../native/koffi.ts'
import { textAt } from '../native/layout.ts'
import { AdapterAddresses, ChainedAddress, getAdaptersAddresses } from '../native/network-api.ts'

const allFamilies = 0
/** Without anycast and multicast addresses, with gateways. */
const wantedParts = 0x2 | 0x4 | 0x80
const overflow = 111
const noData = 232
const loopback = 24
const tunnel = 131
const up = 1
const addressesMax = 64
const serversMax = 16
const unknownSpeed = 2 ** 53

/** May wait for the services of the network. */
export function listInterfaces(): NetworkInterface[] {
  const buffer = adapters()
  if (buffer === undefined) return []
  const offsetOf = (address: bigint) => Number(address - BigInt(koffi.address(buffer)))
  const found: NetworkInterface[] = []
  for (let at: number | undefined = 0; at !== undefined; ) {
    const adapter: ReturnType<typeof AdapterAddresses.read> = AdapterAddresses.read(buffer, at)
    at = adapter.next === 0n ? undefined : offsetOf(adapter.next)
    if (adapter.type === loopback) continue
    const chain = (first: bigint): string[] => {
      const addresses: string[] = []
      for (let next = first; next !== 0n; ) {
        const { next: following, address } = ChainedAddress.read(buffer, offsetOf(next))
        next = following
        const text = addressOf(buffer.subarray(offsetOf(address.address)))
        if (text !== undefined) addresses.push(text)
      }
      return addresses
    }
    const speed = adapter.transmitSpeed
    found.push({
      name: textAt(buffer, offsetOf(adapter.friendlyName)).slice(0, 255),
      mac: macOf(adapter.physicalAddress.subarray(0, adapter.physicalAddressLength)),
      addresses: chain(adapter.firstUnicast).slice(0, addressesMax),
      gateways: chain(adapter.firstGateway).slice(0, serversMax),
      dnsServers: chain(adapter.firstDnsServer).slice(0, serversMax),
      up: adapter.operationalStatus === up,
      virtual: adapter.type === tunnel,
      speedMbit: speed > 0 && speed < unknownSpeed ? Math.round(speed / 1e6) : undefined,
    })
  }
  return found
}

function adapters(): Buffer | undefined {
  for (let size = 32 * 1024; ; ) {
    const buffer = Buffer.alloc(size)
    const needed = u32Buffer(size)
    const code = getAdaptersAddresses(allFamilies, wantedParts, null, buffer, needed)
    if (code === 0) return buffer
    if (code === noData) return undefined
    if (code !== overflow || needed.readUInt32LE() <= size) throw new Win32Error('GetAdaptersAddresses', code)
    size = needed.readUInt32LE()
  }
}

function macOf(bytes: Buffer): string | undefined {
  const parts = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'))
  return bytes.every((byte) => byte === 0) ? undefined : parts.join(':')
}

const ipv4 = 2
const ipv6 = 23

/** The text of a SOCKADDR. */
export function addressOf(socket: Buffer): string | undefined {
  const family = socket.readUInt16LE()
  if (family === ipv4) return [...socket.subarray(4, 8)].join('.')
  if (family !== ipv6) return undefined
  const groups = Array.from({ length: 8 }, (_, index) => socket.readUInt16BE(8 + index * 2).toString(16))
  // The URL parser writes the shortest form.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
