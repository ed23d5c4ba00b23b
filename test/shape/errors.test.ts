import { expect, test } from 'vitest'
import { errorReference } from '../../scripts/error-reference/page.ts'
import { britishIn } from './british.ts'
import { read } from './sources.ts'

test('docs/errors.md lists every code of the tables in the code', () => {
  expect(read('docs/errors.md'), 'run `npm run errors`').toBe(errorReference())
})

test('no cause or remedy has a British spelling', () => {
  expect(britishIn(errorReference())).toEqual([])
})
