import { operations } from '@muster/areas/registry.ts'
import { expect, it } from 'vitest'
import { changedOperations } from './budget.ts'

const ids = (paths: readonly string[] | null) => {
  const found = changedOperations(operations, paths)
  return found === null ? 'all' : [...new Set([...found].map(({ id }) => id.split('.')[0]))]
}

it('runs every probe for the operations of changed areas', () => {
  expect(ids(['packages/areas/src/fleet/groups/members.queries.ts', 'docs/rest.md'])).toEqual(['groups'])
  expect(ids(['packages/areas/src/fleet/custom-fields/custom-fields.rules.ts'])).toEqual(['customFields'])
  expect(ids(['packages/kit/src/operation/run.ts', 'packages/areas/src/platform/events/follow.ts'])).toEqual([])
})

it('runs every probe for every operation if the changes are unknown', () => {
  expect(ids(null)).toBe('all')
})
