import { expect, test } from 'vitest'
import { moved } from './order.ts'

const policy = (id: string, orgId: string | null = null) => ({ id, orgId })

test('a policy moves by one place', () => {
  const policies = [policy('a'), policy('b'), policy('c')]
  expect(moved(policies, 'b', 1)).toEqual(['a', 'c', 'b'])
  expect(moved(policies, 'b', -1)).toEqual(['b', 'a', 'c'])
})

test('a policy moves among the policies of its owner only', () => {
  const policies = [policy('own', 'org'), policy('a'), policy('b')]
  expect(moved(policies, 'a', -1)).toEqual([])
  expect(moved(policies, 'own', 1)).toEqual([])
  expect(moved(policies, 'b', -1)).toEqual(['b', 'a'])
})
