import { describe, expect, it } from 'vitest'
import { failsWidely, heldOrgs, reachPlaces, verdictOf } from './rollouts.rules.ts'

const rollout = { stages: [1, 10, 50, 100], stage: 1, successPercent: 95, errorPercent: 2, errorsAccepted: 0 }
const org = (partnerId: string, orgId: string, offered: number, succeeded: number, failed = 0) => ({
  ...{ partnerId, orgId, offered, succeeded, failed },
})
const counts = (offered: number, succeeded: number, failed = 0) => [org('p', 'o', offered, succeeded, failed)]

describe('a rollout', () => {
  it('advances when its stage succeeded and lasted long enough', () => {
    expect(verdictOf(counts(20, 20), rollout, true, 20)).toEqual({ next: 'advance' })
    expect(verdictOf(counts(20, 20), rollout, false, 20)).toEqual({ next: 'wait' })
    expect(verdictOf(counts(20, 18), rollout, true, 20)).toEqual({ next: 'wait' })
  })

  it('does not count silent devices as successful', () => {
    expect(verdictOf(counts(0, 0), rollout, true, 20)).toEqual({ next: 'wait' })
    expect(verdictOf(counts(0, 0), rollout, true, 0)).toEqual({ next: 'advance' })
  })

  it('halts when too many fail at any time, but not again for accepted failures', () => {
    const halted = { next: 'halt', reason: '1 of 20 devices failed to update' }
    expect(verdictOf(counts(20, 19, 1), rollout, false, 20)).toEqual(halted)
    expect(verdictOf(counts(100, 98, 2), rollout, true, 100)).toEqual({ next: 'advance' })
    expect(verdictOf(counts(20, 19, 1), { ...rollout, errorsAccepted: 1 }, true, 20)).toEqual({ next: 'advance' })
    expect(verdictOf(counts(20, 18, 2), { ...rollout, errorsAccepted: 1 }, true, 20)).toMatchObject({ next: 'halt' })
    expect(verdictOf(counts(20, 0, 1), { ...rollout, errorPercent: 0 }, true, 20)).toMatchObject({ next: 'halt' })
  })

  it('is not halted by failures of a single organization or partner', () => {
    const good = [org('p1', 'a', 200, 200), org('p1', 'b', 100, 99, 1), org('p2', 'c', 50, 50)]
    const bad = org('p3', 'x', 1_000, 0, 1_000)
    expect(verdictOf([...good, org('p3', 'x', 40, 0, 40)], rollout, true, 350)).toEqual({ next: 'advance' })
    expect(verdictOf([...good, bad], rollout, false, 350)).toEqual({ next: 'wait' })
    expect(heldOrgs([...good, bad], rollout)).toEqual(['x'])
    expect(heldOrgs([...good, bad], { ...rollout, errorsAccepted: 1_001 })).toEqual([])
    const many = Array.from({ length: 30 }, (_, index) => org('p3', `x${index}`, 20, 0, 20))
    expect(verdictOf([...good, ...many], rollout, true, 350)).toEqual({ next: 'advance' })
    expect(heldOrgs([...good, ...many], rollout)).toEqual(many.map(({ orgId }) => orgId))
  })

  it('halts for all when too many devices of several organizations and partners fail', () => {
    const reached = [org('p1', 'a', 100, 90, 10), org('p2', 'b', 100, 95, 5), org('p3', 'c', 100, 100)]
    expect(verdictOf(reached, rollout, true, 300)).toEqual({
      next: 'halt',
      reason: '15 of 300 devices failed to update',
    })
    expect(failsWidely(reached, { ...rollout, errorsAccepted: 15 })).toBe(false)
  })

  it('holds no organization while the failures of all are few enough', () => {
    expect(heldOrgs([org('p1', 'a', 400, 400), org('p1', 'b', 10, 9, 1)], rollout)).toEqual([])
  })

  it('is neither blocked by one silent tenant nor proved by a minority', () => {
    expect(verdictOf([org('p1', 'a', 200, 200), org('p2', 'x', 150, 0)], rollout, true, 350)).toEqual({
      next: 'advance',
    })
    expect(verdictOf([org('p1', 'a', 200, 100), org('p2', 'x', 150, 150)], rollout, true, 350)).toEqual({
      next: 'wait',
    })
  })

  it('completes when all its devices have the version', () => {
    const last = { ...rollout, stage: 4 }
    expect(verdictOf(counts(99, 99), last, true, 100)).toEqual({ next: 'wait' })
    expect(verdictOf(counts(100, 100), last, true, 100)).toEqual({ next: 'complete' })
  })

  it('reaches the percentage of its stage', () => {
    expect([1, 2, 3, 4, 5].map((stage) => reachPlaces({ ...rollout, stage }))).toEqual([100, 1_000, 5_000, 10_000, 0])
  })
})
