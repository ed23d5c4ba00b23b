import { z } from 'zod'
import {
  disksMax,
  driversMax,
  featuresMax,
  frameBytesMax,
  networkMax,
  servicesMax,
  softwareMax,
  updatesMax,
  usersMax,
} from '../limits.ts'
import { defineMessage } from '../message.ts'
import { byteCount, text, time } from '../scalars.ts'

export const Facts = z.object({
  hostname: text(255).min(1),
  osType: z.enum(['linux', 'windows', 'macos']),
  osName: text(255).optional(),
  osVersion: text(255).optional(),
  kernelVersion: text(255).optional(),
  architecture: text(32).min(1),
  agentVersion: text(64).min(1),
})
export type Facts = z.infer<typeof Facts>

export const Hardware = z.object({
  manufacturer: text(255).optional(),
  model: text(255).optional(),
  serialNumber: text(255).optional(),
  assetTag: text(255).optional(),
  chassis: text(64).optional(),
  virtual: z.boolean().optional(),
  biosVendor: text(255).optional(),
  biosVersion: text(255).optional(),
  cpuModel: text(255).optional(),
  cpuCores: z.int().min(0).max(65_536).optional(),
  cpuThreads: z.int().min(0).max(65_536).optional(),
  cpuMhz: z.number().min(0).max(1_000_000).optional(),
  memoryBytes: byteCount.optional(),
  graphics: z.array(text(255)).max(32).optional(),
  /** The security chip; absent when the agent cannot tell. */
  tpm: z.object({ present: z.boolean(), version: text(32).optional() }).optional(),
  secureBoot: z.boolean().optional(),
  battery: z
    .object({
      percent: z.number().min(0).max(100).optional(),
      charging: z.boolean().optional(),
      cycles: z.int().min(0).max(1_000_000).optional(),
      condition: text(64).optional(),
    })
    .optional(),
  /** Protections that the system has, such as the encryption of its disk, and the state of each. */
  protections: z
    .array(z.object({ name: text(64), state: text(64) }))
    .max(32)
    .optional(),
})
export type Hardware = z.infer<typeof Hardware>

/** Whether a volume is encrypted; `suspended` means encrypted with a key that anyone can read. */
export const DiskEncryption = z.enum(['on', 'off', 'encrypting', 'decrypting', 'suspended', 'locked'])
export type DiskEncryption = z.infer<typeof DiskEncryption>

export const Disk = z.object({
  name: text(255),
  kind: text(64).optional(),
  fileSystem: text(64).optional(),
  mount: text(1024).optional(),
  totalBytes: byteCount.optional(),
  usedBytes: byteCount.optional(),
  encryption: DiskEncryption.optional(),
})
export type Disk = z.infer<typeof Disk>

export const NetworkInterface = z.object({
  name: text(255),
  mac: text(64).optional(),
  addresses: z.array(text(64)).max(64).optional(),
  up: z.boolean().optional(),
  virtual: z.boolean().optional(),
  speedMbit: z.number().min(0).max(10_000_000).optional(),
  gateways: z.array(text(64)).max(16).optional(),
  dnsServers: z.array(text(64)).max(16).optional(),
})
export type NetworkInterface = z.infer<typeof NetworkInterface>

export const InstalledSoftware = z.object({
  name: text(255),
  version: text(255).optional(),
  publisher: text(255).optional(),
  source: text(64).optional(),
  installedAt: time.optional(),
})
export type InstalledSoftware = z.infer<typeof InstalledSoftware>

export const SystemService = z.object({
  name: text(255),
  displayName: text(255).optional(),
  state: text(32).optional(),
  startup: text(32).optional(),
})
export type SystemService = z.infer<typeof SystemService>

export const LocalUser = z.object({
  name: text(255),
  uid: text(128).optional(),
  admin: z.boolean().optional(),
  loggedIn: z.boolean().optional(),
  lastLoginAt: time.optional(),
})
export type LocalUser = z.infer<typeof LocalUser>

/** A driver of a device, which has a version, or a service that runs in the kernel, which has a state. */
export const Driver = z.object({
  name: text(255),
  displayName: text(255).optional(),
  version: text(255).optional(),
  publisher: text(255).optional(),
  date: time.optional(),
  state: text(32).optional(),
  startup: text(32).optional(),
})
export type Driver = z.infer<typeof Driver>

/** An installed update of the operating system, such as KB5034441. */
export const InstalledUpdate = z.object({
  name: text(255),
  version: text(255).optional(),
  installedAt: time.optional(),
})
export type InstalledUpdate = z.infer<typeof InstalledUpdate>

/** An optional part of the operating system. */
export const SystemFeature = z.object({ name: text(255), enabled: z.boolean() })
export type SystemFeature = z.infer<typeof SystemFeature>

/** The directories of computers that a machine belongs to. A directory that is absent is one that it does not belong to. */
export const Membership = z.object({
  workgroup: text(255).optional(),
  /** The short name of a domain of Active Directory. */
  domain: text(255).optional(),
  entra: z
    .object({
      /** Whether the machine itself joined, or only the account of a user is registered on it. */
      kind: z.enum(['joined', 'registered']),
      tenantId: text(64).optional(),
      tenantName: text(255).optional(),
      deviceId: text(64).optional(),
    })
    .optional(),
})
export type Membership = z.infer<typeof Membership>

/** The operating system itself. A part that is absent is unknown. */
export const SystemState = z.object({
  /** IANA name. */
  timeZone: text(64).optional(),
  /** Why the machine has to restart; empty when it does not. */
  pendingRestart: z.array(text(255)).max(32).optional(),
  drivers: z.array(Driver).max(driversMax).optional(),
  updates: z.array(InstalledUpdate).max(updatesMax).optional(),
  features: z.array(SystemFeature).max(featuresMax).optional(),
  membership: Membership.optional(),
})
export type SystemState = z.infer<typeof SystemState>

export const Inventory = z.object({
  hash: text(128).min(1),
  facts: Facts,
  hardware: Hardware,
  disks: z.array(Disk).max(disksMax),
  network: z.array(NetworkInterface).max(networkMax),
  software: z.array(InstalledSoftware).max(softwareMax),
  services: z.array(SystemService).max(servicesMax),
  users: z.array(LocalUser).max(usersMax),
  system: SystemState.optional(),
})
export type Inventory = z.infer<typeof Inventory>

export const inventory = defineMessage({
  name: 'inventory',
  type: 34,
  meaning: 'The inventory of the machine; sent after the first welcome, on request, and when its hash changed.',
  sequenced: true,
  bytesMax: frameBytesMax,
  body: Inventory,
})
