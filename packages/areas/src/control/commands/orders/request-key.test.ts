import { describe, expect, it } from 'vitest'
import type { Command } from '../commands.contract.ts'
import { requireSameRequest } from './request-key.ts'
import type { CommandOrder } from './validate-order.ts'

const commandWith = (value: unknown) => ({ type: 'run_script', payload: { value } }) as Partial<Command> as Command
const orderWith = (value: unknown) =>
  ({ type: 'run_script', payload: { value } }) as Partial<CommandOrder> as CommandOrder

describe('a request with a key that was used before', () => {
  it.each([
    ['an object and a list of pairs', { a: 1 }, [['a', 1]]],
    ['an empty object and an empty list', {}, []],
    ['a number and its text', 1, '1'],
    ['other values', { a: 1 }, { a: 2 }],
  ])('is refused when the payloads differ: %s', (_words, first, second) => {
    expect(() => requireSameRequest([commandWith(first)], orderWith(second))).toThrow('used for another request')
    expect(() => requireSameRequest([commandWith(second)], orderWith(first))).toThrow('used for another request')
  })

  it('is the same request with the keys in another order', () => {
    requireSameRequest(
      [commandWith({ a: 1, b: { c: [1, 2], d: null } })],
      orderWith({ b: { d: null, c: [1, 2] }, a: 1 }),
    )
    requireSameRequest([], orderWith({ a: 1 }))
  })
})
