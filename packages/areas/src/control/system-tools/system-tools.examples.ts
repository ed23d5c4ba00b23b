import type { ExamplesOf } from '../../examples.ts'
import type { eventLogs } from './event-logs.contract.ts'
import type { files } from './files.contract.ts'
import type { processes } from './processes.contract.ts'
import type { registry } from './registry.contract.ts'
import type { services } from './services.contract.ts'
import type { tasks } from './tasks.contract.ts'

/** The device of the stage is not connected and does not run Windows. */
const subject = 'device'
const answers = [409]
const unsupported = [422]

export const processesExamples: ExamplesOf<typeof processes> = {
  list: { subject, answers, input: ({ device }) => ({ deviceId: device }) },
  get: { subject, answers, input: ({ device }) => ({ deviceId: device, pid: 1 }) },
  kill: { subject, answers, input: ({ device }) => ({ deviceId: device, pid: 4_194_304 }) },
}

export const servicesExamples: ExamplesOf<typeof services> = {
  list: { subject, answers, input: ({ device }) => ({ deviceId: device }) },
  get: { subject, answers, input: ({ device }) => ({ deviceId: device, name: 'cron' }) },
  start: { subject, answers, input: ({ device }) => ({ deviceId: device, name: 'cron' }) },
  stop: { subject, answers, input: ({ device }) => ({ deviceId: device, name: 'cron' }) },
  restart: { subject, answers, input: ({ device }) => ({ deviceId: device, name: 'cron' }) },
}

const key = { hive: 'HKEY_LOCAL_MACHINE', path: 'SOFTWARE\\Muster' } as const

export const registryExamples: ExamplesOf<typeof registry> = {
  keys: { subject, answers: unsupported, input: ({ device }) => ({ deviceId: device, hive: key.hive }) },
  values: { subject, answers: unsupported, input: ({ device }) => ({ deviceId: device, ...key }) },
  getValue: { subject, answers: unsupported, input: ({ device }) => ({ deviceId: device, ...key, name: 'Sample' }) },
  setValue: {
    subject,
    answers: unsupported,
    input: ({ device }) => ({ deviceId: device, ...key, name: 'Sample', type: 'REG_SZ' as const, data: 'text' }),
  },
  deleteValue: { subject, answers: unsupported, input: ({ device }) => ({ deviceId: device, ...key, name: 'Sample' }) },
  createKey: { subject, answers: unsupported, input: ({ device }) => ({ deviceId: device, ...key }) },
  deleteKey: { subject, answers: unsupported, input: ({ device }) => ({ deviceId: device, ...key }) },
}

export const eventLogsExamples: ExamplesOf<typeof eventLogs> = {
  list: { subject, answers, input: ({ device }) => ({ deviceId: device }) },
  get: { subject, answers, input: ({ device }) => ({ deviceId: device, name: 'journal' }) },
  events: { subject, answers, input: ({ device }) => ({ deviceId: device, name: 'journal' }) },
  event: { subject, answers, input: ({ device }) => ({ deviceId: device, name: 'journal', recordId: '1' }) },
}

const path = 'timer:logrotate.timer'

export const tasksExamples: ExamplesOf<typeof tasks> = {
  list: { subject, answers, input: ({ device }) => ({ deviceId: device }) },
  get: { subject, answers, input: ({ device }) => ({ deviceId: device, path }) },
  history: { subject, answers, input: ({ device }) => ({ deviceId: device, path }) },
  run: { subject, answers, input: ({ device }) => ({ deviceId: device, path }) },
  enable: { subject, answers, input: ({ device }) => ({ deviceId: device, path }) },
  disable: { subject, answers, input: ({ device }) => ({ deviceId: device, path }) },
}

export const filesExamples: ExamplesOf<typeof files> = {
  list: { subject, answers, input: ({ device }) => ({ deviceId: device, path: '/var/log' }) },
  download: { subject, answers, input: ({ device }) => ({ deviceId: device, path: '/etc/hostname' }) },
  upload: { subject, answers, input: ({ device }) => ({ deviceId: device, path: '/tmp/sample', empty: true }) },
}
