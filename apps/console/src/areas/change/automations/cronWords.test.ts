import { expect, test } from 'vitest'
import { cronWords } from './cronWords.ts'

test.each([
  ['30 2 * * 1-5', 'At 02:30, Monday to Friday'],
  ['0 2,14 * * *', 'At 02:00 and 14:00, daily'],
  ['* * * * *', 'Each minute'],
  ['*/15 9-17 * * MON,WED', 'Every 15 minutes from 09:00 to 17:59, Monday and Wednesday'],
  ['5 * * * *', 'Hourly at minute 5'],
  ['0 */6 * * *', 'Every 6 hours'],
  ['0 3 1,15 * *', 'At 03:00, on day 1 and 15 of the month'],
  ['0 3 L * *', 'At 03:00, on the last day of the month'],
  ['0 3 * * 2#2', 'At 03:00, on the second Tuesday of the month'],
  ['0 3 * * FRIL', 'At 03:00, on the last Friday of the month'],
  ['0 3 13 * 5', 'At 03:00, on day 13 of the month or Friday'],
  ['0 3 1 1,7 *', 'At 03:00, on day 1 of the month, in January and July'],
  ['0 0 * * 7', 'At 00:00, Sunday'],
  ['@weekly', 'At 00:00, Sunday'],
  ['1-5/2 3-9/3 * * *', 'At minute 1-5/2 of hour 3-9/3, daily'],
])('writes %s as “%s”', (cron, words) => {
  expect(cronWords(cron)).toBe(words)
})

test('leaves what is no expression as it is', () => {
  expect(cronWords('tomorrow')).toBe('tomorrow')
})
