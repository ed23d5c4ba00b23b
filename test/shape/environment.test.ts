import { expect, test } from 'vitest'
import { codeLines, isTest, read, sources } from './sources.ts'

/** Files that may mention NODE_ENV: the one that sets it for libraries, and the build of the console. */
const named = ['packages/kit/src/production.ts', 'packages/stack/src/console.ts']
const processes = ['admin', 'worker', 'ingest'].map((name) => `apps/${name}/src/main.ts`)

test('no code depends on NODE_ENV, so development features must be enabled explicitly', () => {
  const naming = sources.filter(
    (path) => !isTest(path) && codeLines(path).some(({ text }) => /NODE_ENV/.test(text)) && !named.includes(path),
  )
  expect(naming).toEqual([])
})

test.each(processes)(
  'in %s NODE_ENV is set to production for libraries unless an operator set another value',
  (path) => {
    expect(read(path).split('\n')[0]).toBe("import '@muster/kit/production.ts'")
  },
)
