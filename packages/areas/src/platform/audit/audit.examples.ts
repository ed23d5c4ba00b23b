import type { ExamplesOf } from '../../examples.ts'
import type { exports } from './exports.contract.ts'
import type { logs } from './logs.contract.ts'
import type { reports } from './reports.contract.ts'

/** Members limited to sites or groups read only what they did themselves. */
const reach = { siteMember: false, otherSiteMember: false, groupMember: false, otherGroupMember: false }
const about = 'organization'

export const logsExamples: ExamplesOf<typeof logs> = {
  recent: { about, reach, lists: true, input: () => ({ limit: 500 }) },
  list: { about, reach, lists: true, input: () => ({ limit: 100 }) },
  get: { about, reach, input: ({ record }) => ({ id: record }) },
  search: { about, reach, lists: true, input: () => ({ q: 'sample' }) },
  chain: { about: 'own', input: () => ({}) },
}

export const exportsExamples: ExamplesOf<typeof exports> = {
  download: { about, reach, lists: true, input: () => ({ format: 'csv' as const }) },
  create: { about, reach, lists: true, input: () => ({ format: 'json' as const, from: '2020-01-01' }) },
}

export const reportsExamples: ExamplesOf<typeof reports> = {
  userActivity: { about: 'own', input: () => ({}) },
  securityEvents: { about: 'own', input: () => ({}) },
  compliance: { about: 'own', input: () => ({}) },
  stats: { about: 'own', input: () => ({}) },
}
