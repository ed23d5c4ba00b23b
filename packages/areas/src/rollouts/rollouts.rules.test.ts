import { describe, expect, it } from 'vitest'
import { reachOf, verdictOf } from './rollouts.rules.ts'

const rollout = { stages: [1, 10, 50, 100], stage: 1, successPercent: 95, errorPercent: 2, errorsAccepted: 0 }
const counts = (offered: number, succeeded: number, failed = 0) => ({ offered, succeeded, failed })

describe('a rollout', () => {
  it('goes on when its stage is proved and has lasted long enough', () => {
    expect(verdictOf(counts(20, 20), rollout, true, 20)).toEqual({ next: 'advance' })
    expect(verdictOf(counts(20, 20), rollout, false, 20)).toEqual({ next: 'wait' })
    expect(verdictOf(counts(20, 18), rollout, true, 20)).toEqual({ next: 'wait' })
  })

  it('does not take silence for success', () => {
    expect(verdictOf(counts(0, 0), rollout, true, 20)).toEqual({ next: 'wait' })
    expect(verdictOf(counts(0, 0), rollout, true, 0)).toEqual({ next: 'advance' })
  })

  it('stops when too many fail, however long it has lasted, and not again for those that somebody accepted', () => {
    const halted = { next: 'halt', reason: '1 of 20 devices failed to update' }
    expect(verdictOf(counts(20, 19, 1), rollout, false, 20)).toEqual(halted)
    expect(verdictOf(counts(100, 98, 2), rollout, true, 100)).toEqual({ next: 'advance' })
    expect(verdictOf(counts(20, 19, 1), { ...rollout, errorsAccepted: 1 }, true, 20)).toEqual({ next: 'advance' })
    expect(verdictOf(counts(20, 18, 2), { ...rollout, errorsAccepted: 1 }, true, 20)).toMatchObject({ next: 'halt' })
    expect(verdictOf(counts(20, 0, 1), { ...rollout, errorPercent: 0 }, true, 20)).toMatchObject({ next: 'halt' })
  })

  it('is done when everybody that it is meant for has the version', () => {
    const last = { ...rollout, stage: 4 }
    expect(verdictOf(counts(99, 99), last, true, 100)).toEqual({ next: 'wait' })
    expect(verdictOf(counts(100, 100), last, true, 100)).toEqual({ next: 'complete' })
  })

  it('reaches so many of ten thousand', () => {
    expect([1, 2, 3, 4, 5].map((stage) => reachOf({ ...rollout, stage }))).toEqual([100, 1_000, 5_000, 10_000, 0])
  })
})
