import type { ExamplesOf } from '../../examples.ts'
import type { exports } from './exports.contract.ts'
import type { logs } from './logs.contract.ts'
import type { reports } from './reports.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** An audit record of the organization. */
    readonly record: string
  }
}

/** Members limited to sites or groups read only records of their own actions. */
const reach = { siteMember: false, otherSiteMember: false, groupMember: false, otherGroupMember: false }
const subject = 'organization'

export const logsExamples: ExamplesOf<typeof logs> = {
  recent: { subject, reach, lists: true, input: () => ({ limit: 500 }) },
  list: { subject, reach, lists: true, input: () => ({ limit: 100 }) },
  get: { subject, reach, input: ({ record }) => ({ id: record }) },
  search: { subject, reach, lists: true, input: () => ({ q: 'sample' }) },
  chain: { subject: 'own', input: () => ({}) },
}

export const exportsExamples: ExamplesOf<typeof exports> = {
  download: { subject, reach, lists: true, input: () => ({ format: 'csv' as const }) },
  create: { subject, reach, lists: true, input: () => ({ format: 'json' as const, from: '2020-01-01' }) },
}

export const reportsExamples: ExamplesOf<typeof reports> = {
  userActivity: { subject: 'own', input: () => ({}) },
  securityEvents: { subject: 'own', input: () => ({}) },
  compliance: { subject: 'own', input: () => ({}) },
  stats: { subject: 'own', input: () => ({}) },
}
