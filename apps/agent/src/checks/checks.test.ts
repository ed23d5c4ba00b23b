import type { AssignedCheck } from '@muster/wire/messages/assignment.ts'
import type { CheckObservations } from '@muster/wire/messages/observations.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Assignments } from './assignments.ts'
import type { Checkers, Finding } from './check.ts'
import { roundOf } from './check-schedule.ts'

const disk = (id: string, changes: Partial<AssignedCheck> = {}): AssignedCheck => ({
  id,
  everySeconds: 10,
  timeoutSeconds: 5,
  check: { type: 'disk', mount: '/', freePercent: 10 },
  ...changes,
})

/** Follows assignments with a checker of disks, in time that the test moves. */
function following(finding: (assigned: AssignedCheck) => Finding | Promise<Finding>) {
  const sent: CheckObservations[] = []
  const checkers: Checkers = { disk: async (_check, assigned) => finding(assigned) }
  const assignments = new Assignments({
    checkers,
    now: () => Date.now(),
    send: (body) => sent.push(body),
    random: () => 0,
  })
  return { sent, assignments }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('confirms an assignment, and an older one that comes late changes nothing', async () => {
  const { sent, assignments } = following(() => ({ state: 'ok' }))
  assignments.receive({ kind: 'rules', revision: 7, items: [] })
  assignments.receive({ kind: 'rules', revision: 6, items: [disk('a')] })
  expect(sent).toEqual([
    { kind: 'rules', revision: 7, items: [] },
    { kind: 'rules', revision: 7, items: [] },
  ])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sent).toHaveLength(2)
  expect(assignments.revision).toBe(7)
})

test('reports a change of state at once, and otherwise the sum of a minute', async () => {
  let state: Finding['state'] = 'ok'
  const { sent, assignments } = following(() => ({ state, ms: 5 }))
  assignments.receive({ kind: 'monitors', revision: 1, items: [disk('a')] })
  sent.length = 0
  await vi.advanceTimersByTimeAsync(1_000)
  expect(sent.flatMap(({ items }) => items)).toMatchObject([{ id: 'a', state: 'ok', rounds: 1, failed: 0 }])
  await vi.advanceTimersByTimeAsync(70_000)
  expect(sent.slice(1).flatMap(({ items }) => items)).toMatchObject([{ id: 'a', state: 'ok', minMs: 5, maxMs: 5 }])
  expect(sent[1]?.items[0]?.rounds).toBeGreaterThan(5)
  state = 'failed'
  await vi.advanceTimersByTimeAsync(10_500)
  expect(sent[2]?.items).toMatchObject([{ id: 'a', state: 'failed', failed: 1 }])
})

test('stops checks that are no longer assigned, and keeps the phase of those that did not change', async () => {
  const rounds: string[] = []
  const { assignments } = following(({ id }) => {
    rounds.push(`${id} ${Math.round(performance.now() / 1_000)}`)
    return { state: 'ok' }
  })
  const from = Math.round(performance.now() / 1_000)
  assignments.receive({ kind: 'rules', revision: 1, items: [disk('a'), disk('b')] })
  await vi.advanceTimersByTimeAsync(4_000)
  assignments.receive({ kind: 'rules', revision: 2, items: [disk('a')] })
  await vi.advanceTimersByTimeAsync(7_000)
  expect(rounds).toEqual([`a ${from}`, `b ${from}`, `a ${from + 10}`])
})

test('runs at most 64 checks at once', async () => {
  let running = 0
  let most = 0
  const { assignments } = following(async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    running--
    return { state: 'ok' }
  })
  const items = Array.from({ length: 200 }, (_, index) => disk(`c${index}`))
  assignments.receive({ kind: 'rules', revision: 1, items })
  await vi.advanceTimersByTimeAsync(9_000)
  expect(most).toBe(64)
})

test('gives up a check that does not react to its abort', async () => {
  const round = roundOf({ disk: () => new Promise<Finding>(() => undefined) }, disk('a'))
  await vi.advanceTimersByTimeAsync(6_000)
  expect(await round).toEqual({ state: 'failed', text: 'no answer within 5 s' })
})

test('reports unknown for a check that this machine cannot do, and for one that throws', async () => {
  expect(await roundOf({}, disk('a'))).toMatchObject({ state: 'unknown', text: expect.stringContaining('disk') })
  const throwing: Checkers = { disk: () => Promise.reject(new Error('no such mount')) }
  expect(await roundOf(throwing, disk('a'))).toEqual({ state: 'unknown', text: 'no such mount' })
})

test('a slow answer is degraded', async () => {
  const slow: Checkers = { disk: async () => ({ state: 'ok', ms: 300 }) }
  expect(await roundOf(slow, disk('a', { degradedMs: 200 }))).toMatchObject({ state: 'degraded', ms: 300 })
})
