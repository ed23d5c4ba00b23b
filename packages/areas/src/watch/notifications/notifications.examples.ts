import type { ExamplesOf } from '../../examples.ts'
import type { deviceWatches } from './device-watches.contract.ts'
import type { notifications } from './notifications.contract.ts'
import type { preferences } from './preferences.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** Of another person. */
    readonly notification: string
  }
}

export const notificationsExamples: ExamplesOf<typeof notifications> = {
  list: { subject: 'own', input: () => ({ limit: 100 }) },
  unreadCount: { subject: 'own', input: () => ({}) },
  update: { subject: 'foreign', input: ({ notification }) => ({ id: notification, read: true }) },
  remove: { subject: 'foreign', input: ({ notification }) => ({ id: notification }) },
  clear: { subject: 'own', input: () => ({}) },
  events: { subject: 'own', input: () => ({}) },
}

export const preferencesExamples: ExamplesOf<typeof preferences> = {
  get: { subject: 'own', input: () => ({}) },
  update: { subject: 'own', input: () => ({ minPriority: 'low' as const }) },
}

export const deviceWatchesExamples: ExamplesOf<typeof deviceWatches> = {
  list: { subject: 'own', input: () => ({ limit: 100 }) },
  get: { subject: 'device', hidesSubject: true, input: ({ device }) => ({ id: device }) },
  create: { subject: 'device', input: ({ device }) => ({ id: device }) },
  remove: { subject: 'device', input: ({ device }) => ({ id: device }) },
}
