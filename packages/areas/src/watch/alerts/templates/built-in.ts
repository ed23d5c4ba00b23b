// The templates that come with Muster. Their ids never change, because rules name them.
import type { Severity } from '../../../platform/events/severity.contract.ts'
import type { TemplateParameter } from './parameters.contract.ts'
import { type RuleTemplate, usualFields } from './rule-template.ts'

export interface BuiltInTemplate extends RuleTemplate {
  readonly key: string
  readonly category: string
  readonly description: string
}

const idOf = (number: number): string => `6d757374-6572-5a1e-8000-${String(number).padStart(12, '0')}`

const number = (name: string, usual: number, min: number, max: number): TemplateParameter => ({
  name,
  type: 'number',
  default: usual,
  min,
  max,
})
const text = (name: string, usual: string): TemplateParameter => ({
  name,
  type: 'text',
  default: usual,
  min: 1,
  max: 255,
})
const of = (parameter: string) => ({ parameter })

const above = (metric: string, more: object = {}) => ({
  kind: 'metric',
  metric,
  operator: 'gt',
  threshold: of('threshold'),
  aggregate: 'avg',
  windowSeconds: of('windowSeconds'),
  ...more,
})
const percent = (usual: number) => number('threshold', usual, 1, 100)
const window = (usual: number) => number('windowSeconds', usual, 10, 3_600)

interface Told {
  readonly category: string
  readonly name: string
  readonly description: string
  readonly severity: Severity
  readonly conditions: object
  readonly parameters?: readonly TemplateParameter[]
  readonly title?: string
  readonly forSeconds?: number
  readonly clearForSeconds?: number
  readonly autoResolve?: boolean
}

const template = (order: number, key: string, told: Told): BuiltInTemplate => ({
  ...usualFields,
  parameters: [],
  ...told,
  id: idOf(order),
  key,
})

export const builtInTemplates: readonly BuiltInTemplate[] = [
  template(1, 'cpu-high', {
    category: 'performance',
    name: 'CPU use is high',
    description: 'The average CPU use of some minutes is above a percentage.',
    severity: 'high',
    conditions: above('cpuPercent'),
    parameters: [percent(90), window(600)],
    clearForSeconds: 60,
    title: 'CPU of {{ device.name }} is above {{ parameters.threshold }} %',
  }),
  template(2, 'memory-high', {
    category: 'performance',
    name: 'Memory use is high',
    description: 'The average memory use of some minutes is above a percentage.',
    severity: 'high',
    conditions: above('memoryPercent'),
    parameters: [percent(92), window(600)],
    clearForSeconds: 60,
    title: 'Memory of {{ device.name }} is above {{ parameters.threshold }} %',
  }),
  template(3, 'overloaded', {
    category: 'performance',
    name: 'CPU and memory use are high together',
    description: 'Both averages are above their percentages.',
    severity: 'critical',
    conditions: {
      all: [above('cpuPercent'), above('memoryPercent', { threshold: of('memoryThreshold') })],
    },
    parameters: [percent(90), number('memoryThreshold', 90, 1, 100), window(600)],
    title: '{{ device.name }} is overloaded',
  }),
  template(4, 'load-high', {
    category: 'performance',
    name: 'Load is high',
    description: 'The average load of one minute stays above a figure.',
    severity: 'medium',
    conditions: above('load1m'),
    parameters: [number('threshold', 16, 0, 10_000), window(900)],
    title: 'Load of {{ device.name }} is above {{ parameters.threshold }}',
  }),
  template(5, 'processes-many', {
    category: 'performance',
    name: 'Too many processes',
    description: 'More processes run than a figure.',
    severity: 'low',
    conditions: { kind: 'metric', metric: 'processCount', operator: 'gt', threshold: of('threshold') },
    parameters: [number('threshold', 1_000, 1, 1_000_000)],
    forSeconds: 300,
    title: '{{ device.name }} runs more than {{ parameters.threshold }} processes',
  }),
  template(6, 'traffic-high', {
    category: 'network',
    name: 'Received traffic is high',
    description: 'A device receives more bytes per second than a figure.',
    severity: 'medium',
    conditions: above('networkRxPerSecond'),
    parameters: [number('threshold', 100_000_000, 1, 1e12), window(600)],
    title: '{{ device.name }} receives more than {{ parameters.threshold }} bytes per second',
  }),
  template(7, 'restarted', {
    category: 'availability',
    name: 'Device restarted',
    description: 'A device has been up for less than some minutes.',
    severity: 'info',
    conditions: { kind: 'metric', metric: 'uptimeSeconds', operator: 'lt', threshold: of('seconds') },
    parameters: [number('seconds', 600, 60, 86_400)],
    title: '{{ device.name }} restarted',
  }),
  template(8, 'disk-used', {
    category: 'storage',
    name: 'Disk use is high',
    description: 'The disks together are used above a percentage, and stay so until they are well below it.',
    severity: 'high',
    conditions: { kind: 'metric', metric: 'diskPercent', operator: 'gte', threshold: of('threshold') },
    parameters: [percent(90)],
    forSeconds: 300,
    clearForSeconds: 300,
    title: 'Disks of {{ device.name }} are {{ parameters.threshold }} % full',
  }),
  template(9, 'disk-forecast', {
    category: 'storage',
    name: 'Disk becomes full soon',
    description: 'The trend of the disk use reaches a percentage within some hours.',
    severity: 'medium',
    conditions: {
      kind: 'forecast',
      metric: 'diskPercent',
      threshold: of('threshold'),
      withinHours: of('withinHours'),
    },
    parameters: [percent(95), number('withinHours', 72, 1, 2_160)],
    title: 'Disks of {{ device.name }} become full within {{ parameters.withinHours }} hours',
  }),
  template(10, 'disk-mount', {
    category: 'storage',
    name: 'Little space on a mount',
    description: 'A mount has less free space than a percentage.',
    severity: 'high',
    conditions: { kind: 'disk', mount: of('mount'), freePercent: of('freePercent') },
    parameters: [text('mount', '/'), number('freePercent', 10, 0, 100)],
    title: '{{ parameters.mount }} of {{ device.name }} has less than {{ parameters.freePercent }} % free',
  }),
  template(11, 'offline', {
    category: 'availability',
    name: 'Device is offline',
    description: 'A device has been offline for some time while Muster listened.',
    severity: 'high',
    conditions: { kind: 'offline', seconds: of('seconds') },
    parameters: [number('seconds', 300, 60, 7_776_000)],
    title: '{{ device.name }} is offline',
  }),
  template(12, 'offline-long', {
    category: 'availability',
    name: 'Device has not been seen for weeks',
    description: 'A device has been offline for so long that it may be lost or retired.',
    severity: 'low',
    conditions: { kind: 'offline', seconds: of('seconds') },
    parameters: [number('seconds', 2_592_000, 86_400, 7_776_000)],
    title: '{{ device.name }} has not been seen for a long time',
  }),
  template(13, 'site-offline', {
    category: 'availability',
    name: 'Site is offline',
    description: 'A share of the devices of a site is offline. Alerts about its devices being offline are suppressed.',
    severity: 'critical',
    conditions: {
      kind: 'siteOffline',
      percent: of('percent'),
      minDevices: of('minDevices'),
      seconds: of('seconds'),
    },
    parameters: [number('percent', 80, 1, 100), number('minDevices', 3, 1, 10_000), number('seconds', 120, 60, 86_400)],
    title: '{{ site.name }} is offline',
  }),
  template(14, 'quarantined', {
    category: 'security',
    name: 'Device is quarantined',
    description: 'A device is in quarantine and waits for a decision.',
    severity: 'high',
    conditions: { kind: 'filter', filter: { field: 'status', op: 'is', value: 'quarantined' } },
    title: '{{ device.name }} is quarantined',
  }),
  template(15, 'agent-outdated', {
    category: 'agent',
    name: 'Agent is outdated',
    description: 'The agent of a device is older than a version.',
    severity: 'low',
    conditions: { kind: 'filter', filter: { field: 'agentVersion', op: 'lessThan', value: of('version') } },
    parameters: [text('version', '1.0.0')],
    title: 'The agent of {{ device.name }} is older than {{ parameters.version }}',
  }),
  template(16, 'came-online', {
    category: 'availability',
    name: 'Device came online',
    description: 'A device connected. The alert stays until a person resolves it.',
    severity: 'info',
    conditions: { kind: 'event', type: 'device.online' },
    autoResolve: false,
    title: '{{ device.name }} came online',
  }),
  template(17, 'service-stopped', {
    category: 'services',
    name: 'Service is not running',
    description: 'A service is stopped, failed or missing.',
    severity: 'high',
    conditions: { kind: 'service', name: of('service') },
    parameters: [text('service', 'ssh')],
    title: 'Service {{ parameters.service }} of {{ device.name }} is not running',
  }),
  template(18, 'process-missing', {
    category: 'services',
    name: 'Process is missing',
    description: 'Fewer processes of a name run than there should.',
    severity: 'high',
    conditions: { kind: 'process', name: of('process'), min: of('min') },
    parameters: [text('process', 'postgres'), number('min', 1, 1, 1_000)],
    title: 'Process {{ parameters.process }} of {{ device.name }} is missing',
  }),
  template(19, 'sign-ins-failed', {
    category: 'security',
    name: 'Many failed sign-ins',
    description: 'The log of a device holds a text more often than a figure within a time.',
    severity: 'high',
    conditions: {
      kind: 'eventLog',
      log: of('log'),
      text: of('text'),
      count: of('count'),
      windowSeconds: of('windowSeconds'),
    },
    parameters: [
      text('log', 'auth'),
      text('text', 'Failed password'),
      number('count', 10, 1, 10_000),
      number('windowSeconds', 600, 60, 86_400),
    ],
    autoResolve: false,
    title: 'Many failed sign-ins on {{ device.name }}',
  }),
  template(20, 'certificate-expires', {
    category: 'security',
    name: 'Certificate expires soon',
    description: 'The certificate of a server, as the device sees it, expires within some days.',
    severity: 'medium',
    conditions: { kind: 'certificate', host: of('host'), port: of('port'), days: of('days') },
    parameters: [text('host', 'localhost'), number('port', 443, 1, 65_535), number('days', 14, 1, 365)],
    title: 'The certificate of {{ parameters.host }} expires within {{ parameters.days }} days',
  }),
]
