import { expect, test } from 'vitest'
import { createGrantKeyring, retireGrants, rotateGrants } from './grant-keyring.ts'
import { afterStatements } from './order-keys.ts'

test('agents follow rotated and retired keys by statements, which are worth nothing for orders', () => {
  const first = createGrantKeyring()
  const [pinned] = first.grantStatements
  if (pinned === undefined) throw new Error('no statement')
  const rotated = rotateGrants(first)
  const retired = retireGrants(rotated)
  const xs = ({ grants }: typeof first) => grants.map(({ x }) => x)
  expect(xs(rotated)).toEqual([expect.any(String), ...xs(first)])
  expect(afterStatements(pinned, rotated.grantStatements, 'grants')).toEqual({ serial: 2, keys: xs(rotated) })
  expect(afterStatements(pinned, retired.grantStatements, 'grants')).toEqual({ serial: 3, keys: xs(retired) })
  expect(xs(retired)).toEqual(xs(rotated).slice(0, 1))
  expect(afterStatements(pinned, retired.grantStatements, 'orders')).toEqual({ serial: 1, keys: xs(first) })
})
