import { expect, test } from 'vitest'
import { codeLines, isTest, read, sources } from './sources.ts'

/** Who may name NODE_ENV: one file that sets it for libraries, and the build of the console, which is told it as an argument. */
const named = ['packages/kit/src/production.ts', 'packages/stack/src/console.ts']
const processes = ['admin', 'worker', 'ingest'].map((name) => `apps/${name}/src/main.ts`)

test('finding 3: nothing depends on NODE_ENV, so that development conveniences exist only when asked for', () => {
  const naming = sources.filter(
    (path) => !isTest(path) && codeLines(path).some(({ text }) => /NODE_ENV/.test(text)) && !named.includes(path),
  )
  expect(naming).toEqual([])
})

test.each(processes)(
  'finding 3: in %s libraries find NODE_ENV set to production unless an operator set another',
  (path) => {
    expect(read(path).split('\n')[0]).toBe("import '@muster/kit/production.ts'")
  },
)
