import { describe, expect, it } from 'vitest'
import { worseBy } from './worse.rules.ts'

const alone = { controlBefore: null, controlAfter: null }

describe('a figure', () => {
  it('is worse by its growth beyond that of the devices that were not reached', () => {
    expect(worseBy({ before: 20, after: 30, ...alone }, 1)).toBe(50)
    expect(worseBy({ before: 20, after: 30, controlBefore: 10, controlAfter: 15 }, 1)).toBe(0)
    expect(worseBy({ before: 20, after: 20, controlBefore: 10, controlAfter: 20 }, 1)).toBe(-50)
  })

  it('is not known without heartbeats from before and after', () => {
    expect(worseBy({ before: null, after: 30, ...alone }, 1)).toBeNull()
    expect(worseBy({ before: 30, after: null, ...alone }, 1)).toBeNull()
  })

  it('below its floor is taken as the floor', () => {
    expect(worseBy({ before: 0, after: 0.9, ...alone }, 1)).toBe(0)
    expect(worseBy({ before: 0.1, after: 2, ...alone }, 1)).toBe(100)
  })
})
