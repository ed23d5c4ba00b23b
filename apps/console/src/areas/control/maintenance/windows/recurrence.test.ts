import { describe, expect, test } from 'vitest'
import { faultOfRecurrence, plainRecurrence, recurrenceOf, recurrenceWords, ruleOf } from './recurrence.ts'

const startsAt = '2026-11-23T22:00'

describe('the plain fields', () => {
  test.each([
    'FREQ=DAILY',
    'FREQ=DAILY;INTERVAL=3;COUNT=5',
    'FREQ=WEEKLY;BYDAY=MO,TH',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;UNTIL=20271231',
    'FREQ=MONTHLY;BYMONTHDAY=-1',
    'FREQ=MONTHLY;BYDAY=2TU',
    'FREQ=MONTHLY;BYDAY=-1FR',
  ])('keep %s', (rule) => {
    const recurrence = recurrenceOf(rule, startsAt)
    expect(recurrence.kind).not.toBe('custom')
    expect(ruleOf(recurrence)).toBe(rule)
  })

  test.each([
    'FREQ=YEARLY;BYMONTH=3',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU',
    'FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1',
    'FREQ=DAILY;UNTIL=20271231T120000',
    'not a rule',
  ])('leave %s as text', (rule) => {
    const recurrence = recurrenceOf(rule, startsAt)
    expect(recurrence.kind).toBe('custom')
    expect(ruleOf(recurrence)).toBe(rule)
  })

  test('begin with the day on which the window starts', () => {
    const plain = plainRecurrence(startsAt)
    expect(ruleOf(plain)).toBeNull()
    expect(ruleOf({ ...plain, kind: 'weekly' })).toBe('FREQ=WEEKLY;BYDAY=MO')
    expect(ruleOf({ ...plain, kind: 'monthly', monthly: 'weekday' })).toBe('FREQ=MONTHLY;BYDAY=4MO')
  })
})

test('says what is missing', () => {
  const plain = plainRecurrence(startsAt)
  expect(faultOfRecurrence(plain)).toBeUndefined()
  expect(faultOfRecurrence({ ...plain, kind: 'weekly', days: [] })).toBe('Select a day of the week')
  expect(faultOfRecurrence({ ...plain, kind: 'custom', rule: 'FREQ=HOURLY' })).toContain('FREQ must be one of')
})

test.each([
  [null, 'Once'],
  ['FREQ=DAILY', 'Daily'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR', 'Every 2 weeks on Monday, Friday'],
  ['FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3', 'Monthly on the last day, 3 times'],
  ['FREQ=MONTHLY;BYDAY=2TU;UNTIL=20271231', 'Monthly on the second Tuesday, until 2027-12-31'],
])('writes %s in words', (rule, words) => {
  expect(recurrenceWords(rule, startsAt)).toBe(words)
})
