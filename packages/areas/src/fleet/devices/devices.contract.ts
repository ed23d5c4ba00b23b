import { can, csv, flag, get, id, limit, moment, pageNumber, pageOf, time } from '@muster/kit/contract.ts'
import { z } from 'zod'
import { FilterExpression } from '../filter-language/filter.contract.ts'

export const DeviceStatus = z.enum(['online', 'offline', 'updating', 'provisioned', 'quarantined', 'decommissioned'])
export type DeviceStatus = z.infer<typeof DeviceStatus>
export const WatchdogStatus = z.enum(['connected', 'disconnected', 'failover'])
export const OsType = z.enum(['linux', 'windows', 'macos'])

const number = z.number().nullable()
const text = z.string().nullable()

/** A device in lists. Sizes are in bytes. */
export const Device = z.object({
  id: id(),
  orgId: id(),
  siteId: id().nullable(),
  orgName: z.string(),
  siteName: text,
  hostname: z.string(),
  displayName: text,
  osType: OsType.nullable(),
  osName: text,
  osVersion: text,
  architecture: text,
  agentVersion: text,
  status: DeviceStatus,
  lastSeenAt: time().nullable(),
  enrolledAt: time().nullable(),
  cpuPercent: number,
  memoryUsed: number,
  memoryTotal: number,
  memoryPercent: number,
  diskUsed: number,
  diskTotal: number,
  diskPercent: number,
  uptimeSeconds: number,
  tags: z.array(z.string()),
  /** Values of custom fields, by key. */
  customFields: z.record(z.string(), z.json()),
  autoUpdate: z.boolean(),
  /** Whether the agent cannot verify signed orders. After the date that the operator set, it gets no more commands. */
  updateRequired: z.boolean(),
  mainAgentSilentSince: time().nullable(),
  watchdogStatus: WatchdogStatus.nullable(),
  createdAt: time(),
  updatedAt: time(),
})
export type Device = z.infer<typeof Device>

/** Commands by their types, and script languages as `script:python`. */
const Capabilities = z.object({
  reported: z.boolean().describe('False for agents that do not report it; the operating system decides then.'),
  available: z.array(z.string()),
  unavailable: z
    .record(z.string(), z.enum(['UNSUPPORTED_PLATFORM', 'MISSING_TOOL', 'NOT_PERMITTED', 'AGENT_TOO_OLD']))
    .describe('The reason for each command or language.'),
})

const anyObjects = z.array(z.record(z.string(), z.json()))

/** A device with its current state and inventory. */
export const DeviceDetail = Device.extend({
  kernelVersion: text,
  machineId: text,
  statusAt: time().nullable(),
  load1m: number,
  networkRxBytes: number,
  networkTxBytes: number,
  processCount: number,
  watchdogSeenAt: time().nullable(),
  updatingSince: time().nullable(),
  decommissionedAt: time().nullable(),
  quarantinedAt: time().nullable(),
  /** Why the device is locked out: two machines use its key, or the reason that a user gave. */
  quarantineReason: text,
  /** Devices with the same machine ID, until a user dismisses the notice or one of them is decommissioned. */
  possibleDuplicates: z.array(z.object({ deviceId: id(), hostname: z.string(), noticedAt: time() })),
  bootedAt: time().nullable(),
  /** Addresses of its network interfaces, without loopback. */
  ipAddresses: z.array(z.string()),
  macAddresses: z.array(z.string()),
  /** Users who were signed in to the machine at its last inventory. */
  loggedInUsers: z.array(z.string()),
  customFields: z.record(z.string(), z.json()),
  capabilities: Capabilities.describe(
    'Which commands (`reboot`) and script languages (`script:python`) the device can serve, as of its last connection.',
  ),
  inventory: z
    .object({
      hash: z.string(),
      collectedAt: time(),
      hardware: z.record(z.string(), z.json()),
      disks: anyObjects,
      network: anyObjects,
      software: anyObjects,
      services: anyObjects,
      users: anyObjects,
      system: z
        .record(z.string(), z.json())
        .describe(
          '`timeZone`, `pendingRestart` (why the machine has to restart), `drivers`, `updates`, `features` and `membership` (`workgroup`, `domain`, `entra`), as far as the agent knows them.',
        ),
    })
    .nullable(),
})
export type DeviceDetail = z.infer<typeof DeviceDetail>

export const DeviceSort = z.enum(['hostname', 'lastSeen', 'enrolled'])
export type DeviceSort = z.infer<typeof DeviceSort>

/** Text that is not JSON stays text, and is then rejected as a filter. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Filters of the list, in both modes. */
export const deviceFilters = {
  orgIds: csv(id()).optional(),
  siteIds: csv(id()).optional(),
  groupIds: csv(id()).optional(),
  orgId: id().optional(),
  siteId: id().optional(),
  status: csv(DeviceStatus).optional(),
  /** A part of the host name or display name. */
  search: z.string().trim().max(255).optional(),
  includeDecommissioned: flag().optional(),
  /** Devices that may be duplicates. */
  possibleDuplicate: flag().optional(),
  /** A filter of the filter language, as JSON. */
  filter: z.preprocess((given) => (typeof given === 'string' ? parsedJson(given) : given), FilterExpression).optional(),
}

const ListInput = z.object({
  page: z
    .union([z.number(), z.string()])
    .transform((given) => pageNumber().parse(given))
    .optional(),
  limit: limit(1_000),
  cursor: z.string().max(2_000).optional(),
  /** Cursor mode: the number of devices to skip, for jumps in a long list. */
  offset: z.coerce.number().int().min(0).max(1_000_000).optional(),
  sort: DeviceSort.optional(),
  sortDir: z.enum(['asc', 'desc']).optional(),
  includeTotal: flag().optional(),
  ...deviceFilters,
})
export type ListInput = z.output<typeof ListInput>

export const DevicePage = z.object({
  devices: z.array(Device),
  /** Null on the last page. */
  nextCursor: z.string().nullable(),
  limit: z.number(),
  total: z.number().optional(),
})

/** Single heartbeats (kept for 7 days), 5 minutes (30 days) or an hour (a year). */
export const MetricResolution = z.enum(['raw', 'five_minutes', 'hours'])
export type MetricResolution = z.infer<typeof MetricResolution>

/** One stored heartbeat, or a summary of several. */
export const MetricPoint = z.object({
  at: time(),
  cpuPercent: number,
  memoryUsed: number,
  memoryTotal: number,
  diskUsed: number,
  diskTotal: number,
  load1m: number,
  uptimeSeconds: number,
  networkRxBytes: number,
  networkTxBytes: number,
  processCount: number,
  /** The maximum of the period. Absent from single heartbeats. */
  cpuPercentMax: number.optional(),
  memoryUsedMax: number.optional(),
  load1mMax: number.optional(),
  processCountMax: number.optional(),
})
export type MetricPoint = z.infer<typeof MetricPoint>

export const devices = {
  list: get('/devices', {
    summary:
      'List devices. With `page` and no parameters of the cursor mode, the response is `{ data, pagination }`, ' +
      'otherwise `{ devices, nextCursor, limit, total? }`',
    access: can('devices:read'),
    input: ListInput,
    output: z.union([DevicePage, pageOf(Device)]),
  }),
  get: get('/devices/:id', {
    summary: 'Get a device with its state and inventory',
    access: can('devices:read'),
    input: z.object({ id: id() }),
    output: DeviceDetail,
  }),
  metrics: get('/devices/:id/metrics', {
    summary:
      'Get metrics of a device, oldest first. Beyond the limit, only the newest points are returned. The range determines the resolution',
    access: can('devices:read'),
    input: z.object({
      id: id(),
      from: moment().optional(),
      to: moment().optional(),
      /** The length of the range before `to`, when `from` is absent. */
      minutes: limit(366 * 24 * 60, 60),
      resolution: MetricResolution.optional(),
      limit: limit(5_000, 1_000),
    }),
    output: z.object({
      deviceId: id(),
      from: time(),
      to: time(),
      resolution: MetricResolution,
      points: z.array(MetricPoint),
      truncated: z.boolean(),
    }),
  }),
}
