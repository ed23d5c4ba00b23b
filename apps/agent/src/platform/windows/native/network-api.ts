import { dll, type Handle, koffi, system32 } from './koffi.ts'
import { bytes, i32, pointer, size64, struct, u8, u32, wideText } from './layout.ts'

const { func } = dll('iphlpapi')

const SocketAddress = struct({ address: pointer, length: i32 })
/** The first members of IP_ADAPTER_ADDRESSES_LH; the chain is followed by `next`. */
export const AdapterAddresses = struct({
  length: u32,
  index: u32,
  next: pointer,
  adapterName: pointer,
  firstUnicast: pointer,
  firstAnycast: pointer,
  firstMulticast: pointer,
  firstDnsServer: pointer,
  dnsSuffix: pointer,
  description: pointer,
  friendlyName: pointer,
  physicalAddress: bytes(8),
  physicalAddressLength: u32,
  flags: u32,
  mtu: u32,
  type: u32,
  operationalStatus: u32,
  ipv6Index: u32,
  zoneIndices: bytes(64),
  firstPrefix: pointer,
  transmitSpeed: size64,
  receiveSpeed: size64,
  firstWinsServer: pointer,
  firstGateway: pointer,
})
/** The chains of unicast addresses, DNS servers and gateways have these members in common. */
export const ChainedAddress = struct({ length: u32, flags: u32, next: pointer, address: SocketAddress })

/** MIB_IF_ROW2 up to its byte counters. */
export const InterfaceRow = struct({
  luid: size64,
  index: u32,
  guid: bytes(16),
  alias: wideText(257),
  description: wideText(257),
  physicalAddressLength: u32,
  physicalAddress: bytes(32),
  permanentAddress: bytes(32),
  mtu: u32,
  type: u32,
  tunnelType: u32,
  mediaType: u32,
  physicalMediaType: u32,
  accessType: u32,
  directionType: u32,
  /** Bit 0: a hardware interface; bit 1: a filter of another one. */
  flags: u8,
  operationalStatus: u32,
  adminStatus: u32,
  mediaState: u32,
  networkGuid: bytes(16),
  connectionType: u32,
  transmitSpeed: size64,
  receiveSpeed: size64,
  receivedBytes: size64,
  receivedUnicast: size64,
  receivedOther: size64,
  receivedDiscards: size64,
  receivedErrors: size64,
  receivedUnknown: size64,
  receivedUnicastBytes: size64,
  receivedMulticastBytes: size64,
  receivedBroadcastBytes: size64,
  sentBytes: size64,
  sentUnicast: size64,
  sentOther: size64,
  sentDiscards: size64,
  sentErrors: size64,
  sentUnicastBytes: size64,
  sentMulticastBytes: size64,
  sentBroadcastBytes: size64,
  sentQueueLength: size64,
})

export const getAdaptersAddresses = func<
  (family: number, flags: number, reserved: null, buffer: Buffer | null, size: Buffer) => number
>('GetAdaptersAddresses', 'uint32_t', ['uint32_t', 'uint32_t', 'void *', 'void *', 'void *'])
/** Asks the drivers of the network, which may hang: on a thread of the runtime's pool. */
export const getInterfaceTable = koffi
  .load(`${system32}\\iphlpapi.dll`)
  .func<{ async(table: Buffer, done: (error: Error | null, code: number) => void): void }>(
    '__stdcall',
    'GetIfTable2',
    'uint32_t',
    ['void *'],
  )
export const freeTable = func<(table: Handle) => void>('FreeMibTable', 'void', ['intptr_t'])
