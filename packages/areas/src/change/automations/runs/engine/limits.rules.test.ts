import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOf, endOfStep, refusalOfChain, verdictBeside } from './limits.rules.ts'

describe('automation-loops: a chain of automations', () => {
  it('does not start an automation that is in it', () => {
    expect(refusalOfChain(['a', 'b'], 'a')).toBe('loop')
  })
  it('ends after five automations', () => {
    expect(refusalOfChain(['a', 'b', 'c', 'd'], 'e')).toBeNull()
    expect(refusalOfChain(['a', 'b', 'c', 'd', 'e'], 'f')).toBe('chain_too_long')
  })
  it('never contains an automation twice, and never more than five', () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 40 })
    fc.assert(
      fc.property(names, (wanting) => {
        const chain: string[] = []
        for (const name of wanting) if (refusalOfChain(chain, name) === null) chain.push(name)
        expect(new Set(chain).size).toBe(chain.length)
        expect(chain.length).toBeLessThanOrEqual(5)
      }),
    )
  })
})

it('a run beside others waits, is skipped or starts as its overlap says', () => {
  expect(verdictBeside('skip', { isOpen: true, isCooling: true })).toBe('overlap')
  expect(verdictBeside('queue', { isOpen: true, isCooling: true })).toBe('wait')
  expect(verdictBeside('parallel', { isOpen: true, isCooling: false })).toBe('start')
  for (const overlap of ['skip', 'queue', 'parallel'] as const) {
    expect(verdictBeside(overlap, { isOpen: false, isCooling: true })).toBe('cooldown')
    expect(verdictBeside(overlap, { isOpen: false, isCooling: false })).toBe('start')
  }
})

const states = fc.array(fc.constantFrom('succeeded' as const, 'failed' as const, 'skipped' as const), { maxLength: 6 })

it('a run ends as its devices did', () => {
  fc.assert(
    fc.property(states, fc.boolean(), (devices, onceFailed) => {
      const of = (state: string) => devices.filter((each) => each === state).length
      const counts = { total: devices.length, succeeded: of('succeeded'), failed: of('failed'), skipped: of('skipped') }
      const end = endOf(counts, onceFailed)
      expect(end === 'completed').toBe(!onceFailed && devices.every((each) => each === 'succeeded'))
      if (devices.length > 0) {
        expect(end === 'skipped').toBe(!onceFailed && devices.every((each) => each === 'skipped'))
        expect(['completed', 'partial'].includes(end)).toBe(devices.includes('succeeded'))
      }
    }),
  )
})

it('a step ends as its tasks did', () => {
  fc.assert(
    fc.property(states, (tasks) => {
      const end = endOfStep(tasks)
      expect(end === 'skipped').toBe(tasks.every((each) => each === 'skipped'))
      expect(end === 'failed').toBe(tasks.includes('failed') && !tasks.includes('succeeded'))
      if (tasks.length > 0) expect(end === 'succeeded').toBe(tasks.every((each) => each === 'succeeded'))
    }),
  )
})
