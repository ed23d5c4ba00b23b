import { describe, expect, it } from 'vitest'
import { ScriptParameter } from './parameters.contract.ts'
import { faultOfDefinition, faultOfValue } from './parameters.ts'

const parameter = (given: object) => ScriptParameter.parse({ name: 'x', type: 'text', ...given })

describe('a value of a parameter', () => {
  it.each([
    ['a text', {}, 'any'],
    ['a text within its bounds', { min: 2, max: 3 }, 'abc'],
    ['a text that the whole pattern matches', { pattern: '[a-z]+\\d' }, 'abc1'],
    ['a number', { type: 'number', min: 1, max: 10 }, 10],
    ['true or false', { type: 'boolean' }, false],
    ['one of the choices', { type: 'choice', choices: ['a', 'b'] }, 'b'],
    ['a secret', { type: 'secret' }, { secret: 'token' }],
    ['a secret for a text', {}, { secret: 'token' }],
    ['a field of the device', { type: 'number' }, { field: 'custom.rack' }],
  ])('is accepted: %s', (_words, given, value) => {
    expect(faultOfValue(parameter(given), value)).toBeNull()
  })

  it.each([
    ['a number for a text', {}, 1, 'must be a text'],
    ['a text for a number', { type: 'number' }, '1', 'must be a number'],
    ['a text for a boolean', { type: 'boolean' }, 'true', 'must be true or false'],
    ['a number below the least', { type: 'number', min: 1 }, 0, 'must be at least 1'],
    ['a longer text', { max: 2 }, 'abc', 'must be at most 2 characters long'],
    ['another choice', { type: 'choice', choices: ['a', 'b'] }, 'c', 'must be one of a, b'],
    ['a text that the pattern matches in part', { pattern: '[a-z]+' }, 'abc1', 'must match the pattern [a-z]+'],
    ['a plain secret', { type: 'secret' }, 'hunter2', 'must name a secret, as {"secret": "name"}'],
    ['a secret number', { type: 'number' }, { secret: 'x' }, 'must not be a secret. Only texts and secrets can be'],
  ])('is rejected: %s', (_words, given, value, fault) => {
    expect(faultOfValue(parameter(given), value)).toBe(fault)
  })

  it('is matched in linear time by a pattern that backtracks elsewhere', () => {
    const begun = performance.now()
    expect(faultOfValue(parameter({ pattern: '(a+)+(a*)*b' }), 'a'.repeat(4_000))).not.toBeNull()
    expect(performance.now() - begun).toBeLessThan(5_000)
  })
})

describe('the definition of a parameter', () => {
  it.each([
    ['a choice without choices', { type: 'choice' }, /^choices: a choice needs/],
    ['choices of a text', { choices: ['a'] }, /^choices: only a choice/],
    ['a pattern of a number', { type: 'number', pattern: '1' }, /^pattern: only a text/],
    ['a pattern with a look-ahead', { pattern: 'a(?=b)' }, /^pattern: is not a regular expression/],
    ['a pattern with a reference', { pattern: '(a)\\1' }, /^pattern: is not a regular expression/],
    ['a pattern that grows when it is compiled', { pattern: '(((a{100}){100}){100}){100}' }, /^pattern: is not/],
    ['bounds of a boolean', { type: 'boolean', min: 1 }, /^min: only numbers and texts/],
    ['bounds that no value keeps', { min: 3, max: 2 }, /^min: must not be above max/],
    ['a default that is no value', { type: 'number', default: 'a' }, /^default: must be a number/],
  ])('is rejected: %s', (_words, given, fault) => {
    expect(faultOfDefinition(parameter(given))).toMatch(fault)
  })

  it('is accepted with a default that is a value', () => {
    expect(faultOfDefinition(parameter({ pattern: '/.*', default: '/var' }))).toBeNull()
  })
})
