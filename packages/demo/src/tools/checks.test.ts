import { expect, test } from 'vitest'
import { Checks } from './checks.ts'

const startedMs = Date.UTC(2026, 0, 1, 12, 0, 30)
const check = (id: string) => ({
  id,
  everySeconds: 60,
  timeoutSeconds: 5,
  check: { type: 'ping' as const, host: id, count: 3 },
})
const assignment = (revision: number, ...ids: string[]) => ({
  kind: 'monitors' as const,
  revision,
  items: ids.map(check),
})
const timesOf = (messages: ReturnType<Checks['report']>) =>
  messages.flatMap(({ items }) => items.map(({ id, at }) => [id, at]))

test('a monitor that is made later has no results from before', () => {
  const checks = new Checks(startedMs)
  expect(timesOf(checks.take(assignment(1, 'sample'), startedMs + 1_000)).length).toBeGreaterThan(10)
  const laterMs = startedMs + 600_000
  expect(timesOf(checks.take(assignment(2, 'sample', 'own'), laterMs))).toEqual([['own', laterMs]])
  expect(timesOf(checks.report(laterMs + 5_000))).toEqual([
    ['sample', laterMs],
    ['own', laterMs],
  ])
  const minuteMs = Date.UTC(2026, 0, 1, 12, 11)
  expect(timesOf(checks.report(minuteMs + 5_000))).toEqual([
    ['sample', minuteMs],
    ['own', minuteMs],
  ])
})
