import type { ConditionKind, Metric } from '@muster/areas/watch/alerts/rules/conditions.contract.ts'

export interface ValueField {
  readonly name: string
  readonly label: string
  readonly type: 'number' | 'text' | 'event' | 'lines'
  readonly usual: string
  readonly hint?: string
  readonly optional?: boolean
}
const number = (name: string, label: string, usual: number | '', hint?: string): ValueField => ({
  name,
  label,
  type: 'number',
  usual: String(usual),
  ...(hint && { hint }),
  ...(usual === '' && { optional: true }),
})
const text = (name: string, label: string, usual = '', hint?: string): ValueField => ({
  name,
  label,
  type: 'text',
  usual,
  ...(hint && { hint }),
})

export const kindOptions: readonly (readonly [ConditionKind, string])[] = [
  ['metric', 'Metrics'],
  ['offline', 'Device offline'],
  ['siteOffline', 'Site offline'],
  ['filter', 'Device filter'],
  ['forecast', 'Forecast'],
  ['event', 'Event'],
  ['service', 'Service (agent check)'],
  ['process', 'Process (agent check)'],
  ['disk', 'Disk (agent check)'],
  ['eventLog', 'Event log (agent check)'],
  ['certificate', 'Certificate (agent check)'],
]

/** What each kind asks for. Metrics and filters have editors of their own. */
export const valueFields: Readonly<Record<ConditionKind, readonly ValueField[]>> = {
  metric: [],
  filter: [],
  offline: [number('seconds', 'Offline for (seconds)', 300, 'At least 60.')],
  siteOffline: [
    number('percent', 'Offline devices (%)', 80),
    number('minDevices', 'Devices of the site, at least', 3, 'Smaller sites never match.'),
    number('seconds', 'Offline for (seconds)', 120, 'At least 60.'),
  ],
  forecast: [
    { name: 'metric', label: 'Metric', type: 'text', usual: 'diskPercent' },
    number('threshold', 'Threshold', 95),
    number('withinHours', 'Reached within (hours)', 48),
  ],
  event: [
    { name: 'type', label: 'Event', type: 'event', usual: 'device.quarantined' },
    {
      name: 'where',
      label: 'Only with these fields',
      type: 'lines',
      usual: '',
      optional: true,
      hint: 'One “name: value” per line.',
    },
  ],
  service: [text('name', 'Service', '', 'Matches while it is stopped, failed or missing.')],
  process: [
    text('name', 'Process'),
    number('min', 'At least', ''),
    number('max', 'At most', '', 'Matches while the number of processes is outside.'),
  ],
  disk: [text('mount', 'Mount point or drive', '/'), number('freePercent', 'Free space below (%)', 10)],
  eventLog: [
    text('log', 'Log', 'system'),
    text('text', 'Text'),
    number('count', 'Entries, at least', 5),
    number('windowSeconds', 'Within (seconds)', 600),
  ],
  certificate: [
    text('host', 'Host', '', 'As the device reaches it.'),
    number('port', 'Port', 443),
    number('days', 'Expires within (days)', 14),
  ],
}

export const usualValues = (kind: ConditionKind): Record<string, string> =>
  Object.fromEntries(valueFields[kind].map(({ name, usual }) => [name, usual]))

export const metricLabels: Readonly<Record<Metric, string>> = {
  cpuPercent: 'CPU (%)',
  memoryPercent: 'Memory used (%)',
  memoryUsed: 'Memory used (bytes)',
  memoryFree: 'Memory free (bytes)',
  memoryTotal: 'Memory (bytes)',
  diskPercent: 'Disk used (%)',
  diskUsed: 'Disk used (bytes)',
  diskFree: 'Disk free (bytes)',
  diskTotal: 'Disk (bytes)',
  load1m: 'Load (1 minute)',
  uptimeSeconds: 'Uptime (seconds)',
  networkRxPerSecond: 'Received (bytes per second)',
  networkTxPerSecond: 'Sent (bytes per second)',
  networkRxBytes: 'Received (bytes)',
  networkTxBytes: 'Sent (bytes)',
  processCount: 'Processes',
}
export const metricOptions = Object.entries(metricLabels)
export const metricText = (metric: string): string => metricOptions.find(([id]) => id === metric)?.[1] ?? metric

export const operatorOptions = [
  ['gt', 'above'],
  ['gte', 'at least'],
  ['lt', 'below'],
  ['lte', 'at most'],
] as const
export const aggregateOptions = [
  ['last', 'Latest value'],
  ['avg', 'Average'],
  ['min', 'Minimum'],
  ['max', 'Maximum'],
] as const
