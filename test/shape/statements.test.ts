import { expect, test } from 'vitest'
import { isTest, read, sources } from './sources.ts'

// A connection keeps one text per name. With another text PostgreSQL refuses the statement, if both come to the connection.
test('prepared statements have names of their own', () => {
  const named = sources
    .filter((path) => !isTest(path) && !path.startsWith('bench/'))
    .flatMap((path) => [...read(path).matchAll(/\bname: '([^']+)',\s+text:/g)].map(([, name = '']) => ({ name, path })))
  expect(named.length).toBeGreaterThan(20)
  const shared = [...Map.groupBy(named, ({ name }) => name).values()].filter((uses) => uses.length > 1)
  expect(shared).toEqual([])
})
