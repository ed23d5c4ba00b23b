import type { ExamplesOf } from '../../examples.ts'
import type { alerts } from './alerts.contract.ts'

declare module '../../examples.ts' {
  interface Stage {
    /** An open alert of the device. */
    readonly alert: string
    /** Another one. */
    readonly otherAlert: string
  }
}

const subject = 'device'

export const alertsExamples: ExamplesOf<typeof alerts> = {
  list: { subject, lists: true, input: () => ({ limit: 100 }) },
  summary: { subject, lists: true, hidesSubject: true, input: () => ({}) },
  events: { subject, lists: true, input: () => ({}) },
  get: { subject, input: ({ alert }) => ({ id: alert }) },
  acknowledge: { subject, input: ({ alert }) => ({ id: alert, note: 'Looking at it' }) },
  resolve: { subject, input: ({ alert }) => ({ id: alert }) },
  suppress: { subject, input: ({ alert }) => ({ id: alert, durationMinutes: 60, reason: 'Known' }) },
  bulk: {
    subject,
    lists: true,
    input: ({ alert, otherAlert }) => ({ ids: [alert, otherAlert], action: 'suppress' as const }),
  },
}
