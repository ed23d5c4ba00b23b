// What devices can be filtered by. The console builds its filter editor from this; the server compiles from the same names.

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

export interface Field {
  readonly type: FieldType
  readonly label: string
  /** Of choices: the values that there are. */
  readonly values?: readonly string[]
}

const field = (type: FieldType, label: string, values?: readonly string[]): Field => ({
  type,
  label,
  ...(values ? { values } : {}),
})

export const fields = {
  hostname: field('text', 'Hostname'),
  displayName: field('text', 'Display name'),
  status: field('choice', 'Status', ['online', 'offline', 'updating', 'provisioned', 'quarantined', 'decommissioned']),
  organizationId: field('id', 'Organisation'),
  siteId: field('id', 'Site'),
  groupId: field('id', 'Group'),
  tags: field('tags', 'Tags'),
  osType: field('choice', 'Operating system', ['linux', 'windows', 'macos']),
  osName: field('text', 'Operating system name'),
  osVersion: field('version', 'Operating system version'),
  kernelVersion: field('version', 'Kernel version'),
  architecture: field('text', 'Architecture'),
  agentVersion: field('version', 'Agent version'),
  autoUpdate: field('boolean', 'Automatic agent update'),
  machineId: field('text', 'Machine id'),
  enrolledAt: field('time', 'Enrolled'),
  createdAt: field('time', 'Created'),
  updatedAt: field('time', 'Changed'),
  lastSeenAt: field('time', 'Last seen'),
  statusAt: field('time', 'Status since'),
  mainAgentSilentSince: field('time', 'Main agent silent since'),
  watchdogStatus: field('choice', 'Watchdog', ['connected', 'disconnected', 'failover']),
  cpuPercent: field('number', 'CPU use in percent'),
  memoryUsed: field('number', 'Memory used in bytes'),
  memoryTotal: field('number', 'Memory in bytes'),
  memoryPercent: field('number', 'Memory use in percent'),
  memoryFree: field('number', 'Memory free in bytes'),
  diskUsed: field('number', 'Disk used in bytes'),
  diskTotal: field('number', 'Disk in bytes'),
  diskPercent: field('number', 'Disk use in percent'),
  diskFree: field('number', 'Disk free in bytes'),
  load1m: field('number', 'Load over one minute'),
  uptimeSeconds: field('number', 'Uptime in seconds'),
  networkRxBytes: field('number', 'Network bytes received'),
  networkTxBytes: field('number', 'Network bytes sent'),
  processCount: field('number', 'Processes'),
  inventoryCollectedAt: field('time', 'Inventory collected'),
  manufacturer: field('text', 'Manufacturer'),
  model: field('text', 'Model'),
  serialNumber: field('text', 'Serial number'),
  chassis: field('text', 'Chassis'),
  virtual: field('boolean', 'Virtual machine'),
  biosVendor: field('text', 'BIOS vendor'),
  biosVersion: field('text', 'BIOS version'),
  cpuModel: field('text', 'CPU model'),
  cpuCores: field('number', 'CPU cores'),
  cpuThreads: field('number', 'CPU threads'),
  cpuMhz: field('number', 'CPU clock in MHz'),
  installedMemory: field('number', 'Installed memory in bytes'),
  softwareCount: field('number', 'Installed packages'),
  serviceCount: field('number', 'Services'),
  diskCount: field('number', 'Disks'),
  'software.name': field('items', 'Software'),
  'software.publisher': field('items', 'Software publisher'),
  'services.name': field('items', 'Service'),
  'services.running': field('items', 'Running service'),
  'services.stopped': field('items', 'Stopped service'),
  'disks.fileSystem': field('items', 'File system'),
  'disks.mount': field('items', 'Mount point'),
  'network.mac': field('items', 'MAC address'),
  'network.address': field('items', 'IP address'),
  'network.interface': field('items', 'Network interface'),
  'users.name': field('items', 'Local user'),
  'users.admin': field('items', 'Local administrator'),
  'users.loggedIn': field('items', 'Logged-in user'),
  'graphics.model': field('items', 'Graphics card'),
} as const satisfies Record<string, Field>
export type FieldName = keyof typeof fields

export const isFieldName = (name: string): name is FieldName => Object.hasOwn(fields, name)
