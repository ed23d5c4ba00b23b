import type { ExamplesOf } from '../../../examples.ts'
import type { monitorAlerts } from './alerts.contract.ts'

const subject = 'site'
const refuses = { groupMember: 404, otherGroupMember: 404 }
const reach = { groupMember: false, otherGroupMember: false }

/** A monitor has one rule on each condition and threshold: up to a minute, here in microseconds. */
const thresholdFrom = (text: string): number =>
  1 + [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 59_000_000, 7) / 1_000

export const monitorAlertsExamples: ExamplesOf<typeof monitorAlerts> = {
  listAll: { subject, lists: true, reach, hidesSubject: true, input: () => ({ limit: 100 }) },
  list: { subject, refuses, hidesSubject: true, input: ({ monitor }) => ({ monitorId: monitor }) },
  create: {
    subject,
    refuses,
    input: ({ monitor, fresh }) => ({
      monitorId: monitor,
      condition: 'responseTime' as const,
      threshold: thresholdFrom(fresh()),
    }),
  },
  update: { subject, refuses, input: ({ monitorAlert }) => ({ id: monitorAlert, severity: 'low' as const }) },
  remove: { subject, refuses, input: ({ monitorAlert }) => ({ id: monitorAlert }) },
}
