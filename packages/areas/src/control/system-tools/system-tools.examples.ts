import type { ExamplesOf } from '../../examples.ts'
import type { eventLogs } from './event-logs.contract.ts'
import type { files } from './files.contract.ts'
import type { processes } from './processes.contract.ts'
import type { registry } from './registry.contract.ts'
import type { services } from './services.contract.ts'
import type { tasks } from './tasks.contract.ts'

/** The device of the stage is connected to nothing, and it is no Windows machine. */
const about = 'device'
const answers = [409]
const unsupported = [422]

export const processesExamples: ExamplesOf<typeof processes> = {
  list: { about, answers, input: ({ device }) => ({ deviceId: device }) },
  get: { about, answers, input: ({ device }) => ({ deviceId: device, pid: 1 }) },
  kill: { about, answers, input: ({ device }) => ({ deviceId: device, pid: 4_194_304 }) },
}

export const servicesExamples: ExamplesOf<typeof services> = {
  list: { about, answers, input: ({ device }) => ({ deviceId: device }) },
  get: { about, answers, input: ({ device }) => ({ deviceId: device, name: 'cron' }) },
  start: { about, answers, input: ({ device }) => ({ deviceId: device, name: 'cron' }) },
  stop: { about, answers, input: ({ device }) => ({ deviceId: device, name: 'cron' }) },
  restart: { about, answers, input: ({ device }) => ({ deviceId: device, name: 'cron' }) },
}

const key = { hive: 'HKEY_LOCAL_MACHINE', path: 'SOFTWARE\\Muster' } as const

export const registryExamples: ExamplesOf<typeof registry> = {
  keys: { about, answers: unsupported, input: ({ device }) => ({ deviceId: device, hive: key.hive }) },
  values: { about, answers: unsupported, input: ({ device }) => ({ deviceId: device, ...key }) },
  getValue: { about, answers: unsupported, input: ({ device }) => ({ deviceId: device, ...key, name: 'Sample' }) },
  setValue: {
    about,
    answers: unsupported,
    input: ({ device }) => ({ deviceId: device, ...key, name: 'Sample', type: 'REG_SZ' as const, data: 'text' }),
  },
  deleteValue: { about, answers: unsupported, input: ({ device }) => ({ deviceId: device, ...key, name: 'Sample' }) },
  createKey: { about, answers: unsupported, input: ({ device }) => ({ deviceId: device, ...key }) },
  deleteKey: { about, answers: unsupported, input: ({ device }) => ({ deviceId: device, ...key }) },
}

export const eventLogsExamples: ExamplesOf<typeof eventLogs> = {
  list: { about, answers, input: ({ device }) => ({ deviceId: device }) },
  get: { about, answers, input: ({ device }) => ({ deviceId: device, name: 'journal' }) },
  events: { about, answers, input: ({ device }) => ({ deviceId: device, name: 'journal' }) },
  event: { about, answers, input: ({ device }) => ({ deviceId: device, name: 'journal', recordId: '1' }) },
}

const path = 'timer:logrotate.timer'

export const tasksExamples: ExamplesOf<typeof tasks> = {
  list: { about, answers, input: ({ device }) => ({ deviceId: device }) },
  get: { about, answers, input: ({ device }) => ({ deviceId: device, path }) },
  history: { about, answers, input: ({ device }) => ({ deviceId: device, path }) },
  run: { about, answers, input: ({ device }) => ({ deviceId: device, path }) },
  enable: { about, answers, input: ({ device }) => ({ deviceId: device, path }) },
  disable: { about, answers, input: ({ device }) => ({ deviceId: device, path }) },
}

export const filesExamples: ExamplesOf<typeof files> = {
  list: { about, answers, input: ({ device }) => ({ deviceId: device, path: '/var/log' }) },
  download: { about, answers, input: ({ device }) => ({ deviceId: device, path: '/etc/hostname' }) },
  upload: { about, answers, input: ({ device }) => ({ deviceId: device, path: '/tmp/sample', empty: true }) },
}
