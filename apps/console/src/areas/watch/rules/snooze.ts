import type { AlertRule } from '@muster/areas/watch/alerts/rules/rules.contract.ts'

/** Whether a rule raises nothing now. */
export const isSnoozed = ({ snoozedUntil }: Pick<AlertRule, 'snoozedUntil'>): boolean =>
  snoozedUntil !== null && Date.parse(snoozedUntil) > Date.now()

/** How long something stays quiet, in minutes. */
export const quietSpans = [
  ['60', '1 hour'],
  ['240', '4 hours'],
  ['1440', '1 day'],
  ['10080', '7 days'],
] as const
