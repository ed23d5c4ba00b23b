import { expect, test } from 'vitest'
import { fitting } from './matching.ts'

const entries = [
  { label: 'Partners', words: 'providers msp tenants approve' },
  { label: 'Dead letters', words: 'streams replay' },
  { label: 'All devices', words: 'machines run script restart' },
  { label: 'Enrollment', words: 'new add device install agent' },
  { label: 'Access reviews' },
]
const found = (typed: string) => fitting(typed, entries).map(({ label }) => label)

test('finds entries by the beginnings of words, not by scattered letters', () => {
  expect(found('vm')).toEqual([])
  expect(found('restart')).toEqual(['All devices'])
  expect(found('run script')).toEqual(['All devices'])
  expect(found('new device')).toEqual(['Enrollment'])
})

test('lists entries whose label matches before those with a matching search term', () => {
  expect(found('dev')).toEqual(['All devices', 'Enrollment'])
  expect(found('a')).toEqual(['All devices', 'Access reviews', 'Partners', 'Enrollment'])
})

test('lists all entries while nothing is typed', () => {
  expect(found('')).toHaveLength(entries.length)
})
