// The fields of device filters. The console builds its filter editor from them, and the server compiles the same names.

export const operatorsOf = {
  text: ['is', 'isNot', 'contains', 'notContains', 'startsWith', 'endsWith', 'in', 'notIn', 'isSet', 'isNotSet'],
  number: ['is', 'isNot', 'atLeast', 'atMost', 'moreThan', 'lessThan', 'between', 'isSet', 'isNotSet'],
  boolean: ['is'],
  choice: ['is', 'isNot', 'in', 'notIn'],
  id: ['is', 'isNot', 'in', 'notIn', 'isSet', 'isNotSet'],
  time: ['before', 'after', 'withinLast', 'notWithinLast', 'isSet', 'isNotSet'],
  version: ['is', 'isNot', 'atLeast', 'atMost', 'moreThan', 'lessThan', 'isSet', 'isNotSet'],
  tags: ['hasAny', 'hasAll', 'hasNone', 'isSet', 'isNotSet'],
  items: ['has', 'hasNot'],
} as const
export type FieldType = keyof typeof operatorsOf

/** The table of the field. When it changes, dynamic groups are evaluated again. */
export type FieldSource = 'device' | 'state' | 'inventory'

export interface Field {
  readonly type: FieldType
  readonly label: string
  /** The values of a choice. */
  readonly values?: readonly string[]
}

const fieldOf =
  (source: FieldSource) =>
  <Type extends FieldType>(type: Type, label: string, values?: readonly string[]) => ({
    source,
    type,
    label,
    ...(values ? { values } : {}),
  })
const device = fieldOf('device')
const state = fieldOf('state')
const inventory = fieldOf('inventory')

export const fields = {
  hostname: device('text', 'Hostname'),
  displayName: device('text', 'Display name'),
  status: state('choice', 'Status', ['online', 'offline', 'updating', 'provisioned', 'quarantined', 'decommissioned']),
  organizationId: device('id', 'Organization'),
  siteId: device('id', 'Site'),
  groupId: device('id', 'Group'),
  tags: device('tags', 'Tags'),
  osType: device('choice', 'Operating system', ['linux', 'windows', 'macos']),
  osName: device('text', 'Operating system name'),
  osVersion: device('version', 'Operating system version'),
  kernelVersion: device('version', 'Kernel version'),
  architecture: device('text', 'Architecture'),
  agentVersion: device('version', 'Agent version'),
  autoUpdate: device('boolean', 'Automatic agent update'),
  machineId: device('text', 'Machine id'),
  enrolledAt: device('time', 'Enrolled'),
  createdAt: device('time', 'Created'),
  updatedAt: device('time', 'Changed'),
  inMaintenance: device('boolean', 'In maintenance'),
  openAlerts: device('number', 'Open alerts'),
  lastSeenAt: state('time', 'Last seen'),
  statusAt: state('time', 'Status since'),
  mainAgentSilentSince: state('time', 'Main agent silent since'),
  watchdogStatus: state('choice', 'Watchdog', ['connected', 'disconnected', 'failover']),
  cpuPercent: state('number', 'CPU use in percent'),
  memoryUsed: state('number', 'Memory used in bytes'),
  memoryTotal: state('number', 'Memory in bytes'),
  memoryPercent: state('number', 'Memory use in percent'),
  memoryFree: state('number', 'Memory free in bytes'),
  diskUsed: state('number', 'Disk used in bytes'),
  diskTotal: state('number', 'Disk in bytes'),
  diskPercent: state('number', 'Disk use in percent'),
  diskFree: state('number', 'Disk free in bytes'),
  load1m: state('number', 'Load over one minute'),
  uptimeSeconds: state('number', 'Uptime in seconds'),
  networkRxBytes: state('number', 'Network bytes received'),
  networkTxBytes: state('number', 'Network bytes sent'),
  processCount: state('number', 'Processes'),
  inventoryCollectedAt: inventory('time', 'Inventory collected'),
  manufacturer: inventory('text', 'Manufacturer'),
  model: inventory('text', 'Model'),
  serialNumber: inventory('text', 'Serial number'),
  chassis: inventory('text', 'Chassis'),
  virtual: inventory('boolean', 'Virtual machine'),
  biosVendor: inventory('text', 'BIOS vendor'),
  biosVersion: inventory('text', 'BIOS version'),
  cpuModel: inventory('text', 'CPU model'),
  cpuCores: inventory('number', 'CPU cores'),
  cpuThreads: inventory('number', 'CPU threads'),
  cpuMhz: inventory('number', 'CPU clock in MHz'),
  installedMemory: inventory('number', 'Installed memory in bytes'),
  softwareCount: inventory('number', 'Installed packages'),
  serviceCount: inventory('number', 'Services'),
  diskCount: inventory('number', 'Disks'),
  'software.name': inventory('items', 'Software'),
  'software.publisher': inventory('items', 'Software publisher'),
  'services.name': inventory('items', 'Service'),
  'services.running': inventory('items', 'Running service'),
  'services.stopped': inventory('items', 'Stopped service'),
  'disks.fileSystem': inventory('items', 'File system'),
  'disks.mount': inventory('items', 'Mount point'),
  'network.mac': inventory('items', 'MAC address'),
  'network.address': inventory('items', 'IP address'),
  'network.interface': inventory('items', 'Network interface'),
  'users.name': inventory('items', 'Local user'),
  'users.admin': inventory('items', 'Local administrator'),
  'users.loggedIn': inventory('items', 'Logged-in user'),
  'graphics.model': inventory('items', 'Graphics card'),
} as const satisfies Record<string, Field & { readonly source: FieldSource }>
export type FieldName = keyof typeof fields

export const isFieldName = (name: string): name is FieldName => Object.hasOwn(fields, name)
