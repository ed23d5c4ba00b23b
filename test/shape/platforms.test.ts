import { expect, test } from 'vitest'
import { codeLines, importsOf, isTest, sources } from './sources.ts'

const platformFolder = 'apps/agent/src/platform/'
/** Passes the target system to the bundler. */
const build = 'apps/agent/src/bundle-cli.ts'
const asksForSystem = /process\.platform|\bplatform\(\)|\bos\.type\(|'(win32|darwin)'|"(win32|darwin)"|\/proc\/|getuid/

test('only the platform folder of the agent checks the operating system', () => {
  const asking = sources.filter(
    (path) =>
      path.startsWith('apps/agent/src/') &&
      !path.startsWith(platformFolder) &&
      !isTest(path) &&
      path !== build &&
      codeLines(path).some(({ text }) => asksForSystem.test(text)),
  )
  expect(asking).toEqual([])
})

test('the code of one system is loaded only by load.ts, and imports no code of another system', () => {
  const systemOf = (path: string) => /^apps\/agent\/src\/platform\/(linux|windows|darwin)\//.exec(path)?.[1]
  const crossing = sources
    .filter((path) => path.startsWith('apps/agent/src/') && !isTest(path) && path !== `${platformFolder}load.ts`)
    .flatMap(importsOf)
    .filter(({ from, to }) => systemOf(to) !== undefined && systemOf(to) !== systemOf(from))
  expect(crossing.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
})
