import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { csv, flag, id, jsonObject, limit, pageNumber } from './contract.ts'

/** What JSON can carry: no request holds an infinity or NaN as a number. */
const finite = fc.double({ noDefaultInfinity: true, noNaN: true })

describe('pieces of schemas', () => {
  it('page and limit never refuse and stay within their bounds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), finite, fc.integer(), fc.constant(undefined)), (given) => {
        expect(pageNumber().parse(given)).toBeGreaterThanOrEqual(1)
        const size = limit().parse(given)
        expect(size).toBeGreaterThanOrEqual(1)
        expect(size).toBeLessThanOrEqual(100)
      }),
    )
    expect([
      pageNumber().parse(undefined),
      limit().parse(undefined),
      limit().parse('abc'),
      limit().parse('0'),
      limit().parse(5000),
    ]).toEqual([1, 50, 50, 1, 100])
  })
  it('false is false, as text too', () => {
    expect([flag().parse('false'), flag().parse(false), flag().parse('true'), flag().parse('1')]).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(flag().safeParse('perhaps').success).toBe(false)
  })
  it('a list may be text with commas or an array', () => {
    const two = ['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222']
    expect(csv(id()).parse(two.join(','))).toEqual(two)
    expect(csv(id()).parse(two)).toEqual(two)
    expect(csv(id()).safeParse('x').success).toBe(false)
  })
  it('ids are lower case', () => {
    expect(id().parse('ABCDEF12-1111-1111-1111-111111111111')).toBe('abcdef12-1111-1111-1111-111111111111')
  })
  it('a JSON object has a bound', () => {
    expect(jsonObject(20).safeParse({ a: 'x'.repeat(30) }).success).toBe(false)
    expect(z.toJSONSchema(jsonObject()).type).toBe('object')
  })
})
