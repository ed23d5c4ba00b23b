import { expect, test } from 'vitest'
import { codeLines, filesIn, isTest, read, sources } from './sources.ts'

const warnLines = 300
const mostLines = 400
const vagueNames = /^(utils?|helpers?|common|shared|managers?|misc|types|lib)$/i

// Generated files.
const generated = new Set(['packages/db/src/tables.ts'])

test(`no file is longer than ${mostLines} lines`, () => {
  const lengths = [...sources, ...filesIn('scripts')]
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !generated.has(path))
    .map((path) => ({ path, lines: read(path).split('\n').length - 1 }))
  const long = lengths.filter(({ lines }) => lines > warnLines)
  for (const { path, lines } of long) console.warn(`${path} has ${lines} lines; aim at ${warnLines}`)
  expect(long.filter(({ lines }) => lines > mostLines)).toEqual([])
})

test('names of files and folders are specific kebab-case nouns', () => {
  const names = sources.filter((path) => !path.startsWith('apps/console/'))
  const parts = new Set(names.flatMap((path) => path.split('/')))
  const wrong = [...parts].filter((part) => {
    const stem = part.replace(/(\.[a-z-]+)*\.ts$/, '')
    // This file measures types, so the name fits.
    if (part === 'types.bench.ts') return false
    return vagueNames.test(part.replace(/(\.test)?\.ts$/, '')) || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem)
  })
  expect(wrong).toEqual([])
})

test('no code uses `any`, a double cast or a disabled check', () => {
  const forced = /\bas any\b|:\s*any\b|<any>|\bas unknown as\b|@ts-(ignore|nocheck|expect-error)/
  expect(
    found(
      sources.filter((path) => !path.startsWith('packages/kit/')),
      forced,
    ),
  ).toEqual([])
})

test('no test is skipped or run alone', () => {
  const aside = /\b(test|it|describe|bench)(\.\w+)*\.(only|skip|todo)\b/
  expect(found(sources.filter(isTest), aside)).toEqual([])
})

test('the environment is read only where settings are declared', () => {
  const allowed = /\/config\.ts$|^packages\/kit\/src\/production\.ts$|^packages\/stack\/|^(scripts|test|bench)\//
  expect(
    found(
      sources.filter((path) => !allowed.test(path)),
      /process\.env\b/,
    ),
  ).toEqual([])
})

test('servers send outgoing requests only through outgoing.ts', () => {
  const server = /^(apps\/(ingest|worker|admin)|packages\/(kit|db|areas|backplane))\//
  const ways = /\bfetch\(|from '(undici|axios|got|node-fetch)'|https?\.(request|get)\(|\bhttp2\.connect\(/
  const files = sources.filter(
    (path) => server.test(path) && !isTest(path) && path !== 'packages/kit/src/network/outgoing.ts',
  )
  expect(found(files, ways)).toEqual([])
})

test('no file only re-exports other files', () => {
  const handsOn = (path: string) => {
    const lines = codeLines(path).filter(({ text }) => text.trim() !== '')
    return lines.length > 0 && lines.every(({ text }) => /^export (\*|\{.*\}) from /.test(text))
  }
  expect(sources.filter((path) => handsOn(path) && !path.endsWith('/index.ts'))).toEqual([])
})

test('every dependency in the lock file has an entry, so `npm ci` works on each platform', () => {
  const { packages }: { packages: Record<string, { optionalDependencies?: Record<string, string> }> } = JSON.parse(
    read('package-lock.json'),
  )
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
    ),
  )
  expect(missing).toEqual([])
})

function found(paths: string[], pattern: RegExp): string[] {
  return paths.flatMap((path) =>
    codeLines(path)
      .filter(({ text }) => pattern.test(text) && !text.includes('const forced ='))
      .map(({ number, text }) => `${path}:${number}: ${text.trim()}`),
  )
}
