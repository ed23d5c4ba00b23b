import { describe, expect, test } from 'vitest'
import { type Import, importsOf, isTest, sources, unitOf } from './sources.ts'

/** The packages that each unit may import. Dependencies point one way. */
const mayImport: Record<string, string[]> = {
  'packages/kit': [],
  'packages/wire': ['packages/kit'],
  'packages/backplane': ['packages/kit'],
  'packages/db': ['packages/kit'],
  'packages/files': ['packages/kit'],
  'packages/script-library': [],
  'packages/releases': ['packages/files', 'packages/kit', 'packages/wire'],
  'packages/areas': [
    'packages/backplane',
    'packages/db',
    'packages/files',
    'packages/kit',
    'packages/releases',
    'packages/script-library',
    'packages/wire',
  ],
  'packages/stack': ['packages/backplane', 'packages/db', 'packages/kit'],
  'packages/demo': ['packages/kit', 'packages/stack', 'packages/wire'],
  'packages/testkit': [
    'packages/areas',
    'packages/backplane',
    'packages/db',
    'packages/kit',
    'packages/stack',
    'packages/wire',
  ],
  'apps/ingest': ['packages/wire', 'packages/backplane', 'packages/kit'],
  'apps/worker': [
    'packages/areas',
    'packages/backplane',
    'packages/db',
    'packages/files',
    'packages/kit',
    'packages/releases',
    'packages/wire',
  ],
  'apps/admin': [
    'packages/areas',
    'packages/backplane',
    'packages/db',
    'packages/files',
    'packages/kit',
    'packages/releases',
  ],
  'apps/agent': ['packages/wire'],
  'apps/console': ['packages/areas', 'packages/kit'],
}

const imports = sources.flatMap(importsOf)
const isOurs = ({ to }: Import) => /^(apps|packages|bench|scripts|test)\//.test(to)
const told = ({ from, to }: Import) => `${from} imports ${to}`

describe('dependencies point one way', () => {
  test.each(Object.entries(mayImport))('%s imports only what it may', (unit, allowed) => {
    const wrong = imports.filter((each) => {
      if (unitOf(each.from) !== unit || !isOurs(each) || isTest(each.from)) return false
      const target = unitOf(each.to)
      return target !== unit && !allowed.includes(target)
    })
    expect(wrong.map(told)).toEqual([])
  })

  test('every package and app has a place in that order', () => {
    const units = new Set(sources.map(unitOf).filter((unit) => /^(apps|packages)\//.test(unit)))
    expect([...units].filter((unit) => !(unit in mayImport))).toEqual([])
  })

  test('tests of a package import other packages and the test kit, never an app', () => {
    const wrong = imports.filter(({ from, to }) => from.startsWith('packages/') && to.startsWith('apps/'))
    expect(wrong.map(told)).toEqual([])
  })

  test('no app imports another app', () => {
    const wrong = imports.filter(
      ({ from, to }) => from.startsWith('apps/') && to.startsWith('apps/') && unitOf(from) !== unitOf(to),
    )
    expect(wrong.map(told)).toEqual([])
  })

  test('another package is imported by its name, not by a path into its folder', () => {
    const crossing = sources.flatMap((path) =>
      importsOf(path).filter(({ to }) => unitOf(path) !== unitOf(to) && /^(apps|packages)\//.test(to)),
    )
    const wrong = crossing.filter(({ to }) => /^packages\//.test(to) && !to.startsWith(`${unitOf(to)}/src/`))
    expect(wrong.map(told)).toEqual([])
  })

  test('ingest imports neither areas nor Postgres', () => {
    const wrong = imports.filter(({ from, to }) => from.startsWith('apps/ingest/') && /^(pg|kysely)\b/.test(to))
    expect(wrong.map(told)).toEqual([])
  })
})

describe('contracts and rules can be read by a browser', () => {
  test('they import only zod, croner, the vocabulary of operations, the order of versions and other contracts and rules', () => {
    const kind = /\.(contract|rules)\.ts$/
    // croner has no dependencies and runs in browsers: schedules are previewed by the function that workers use.
    const allowed =
      /^(zod|croner)$|^packages\/kit\/src\/(contract|vocabulary|versions\/[\w-]+)\.ts$|^packages\/wire\/src\//
    const wrong = imports.filter(({ from, to }) => kind.test(from) && !kind.test(to) && !allowed.test(to))
    expect(wrong.map(told)).toEqual([])
  })
})

describe('the console is a thin client', () => {
  test('it imports only contracts, rules, the vocabulary and types from packages', () => {
    const allowed = /\.(contract|rules)\.ts$|^packages\/kit\/src\/(contract|body\/csv|vocabulary)\.ts$/
    const wrong = imports.filter(
      ({ from, to, onlyTypes }) =>
        from.startsWith('apps/console/') && to.startsWith('packages/') && !onlyTypes && !allowed.test(to),
    )
    expect(wrong.map(told)).toEqual([])
  })
})

describe('areas use only the public files of other areas', () => {
  const areaOf = (path: string) => /^packages\/areas\/src\/[^/]+\/([^/]+)\//.exec(path)?.[1]
  const between = imports.filter(({ from, to }) => {
    const [a, b] = [areaOf(from), areaOf(to)]
    return a !== undefined && b !== undefined && a !== b && !isTest(from)
  })

  test('an area imports another only through its index.ts, its contracts and its rules', () => {
    const wrong = between.filter(({ to }) => !/\/index\.ts$|\.(contract|rules)\.ts$/.test(to))
    expect(wrong.map(told)).toEqual([])
  })

  test('the worker imports an area only through its index.ts and its contracts', () => {
    const inner = imports.filter(
      ({ from, to }) => from.startsWith('apps/worker/') && !isTest(from) && areaOf(to) !== undefined,
    )
    const wrong = inner.filter(({ to }) => !/\/index\.ts$|\.contract\.ts$/.test(to))
    expect(wrong.map(told)).toEqual([])
  })

  test('the dependencies between areas match the list and have no cycle', async () => {
    const edges = new Map<string, Set<string>>()
    for (const { from, to, onlyTypes } of between) {
      const [a = '', b = ''] = [areaOf(from), areaOf(to)]
      if (!onlyTypes) edges.set(a, (edges.get(a) ?? new Set()).add(b))
    }
    const lines = [...edges].map(([area, others]) => `${area} -> ${[...others].sort().join(' ')}`)
    await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot('./areas.txt')
    expect(cyclesIn(edges)).toEqual([])
  })
})

describe('every file is used', () => {
  test('each file of a package or an app is imported, started or run as a test', () => {
    const used = new Set(imports.filter(({ from, to }) => from !== to).map(({ to }) => to))
    // Referred to by path, not imported: entry points, threads, and programs that a package.json starts.
    const started = /\/main\.ts$|-cli\.ts$|\.worker\.ts$|\.process\.ts$|-process\.ts$|\/start\.ts$|\/global-setup\.ts$/
    const unused = sources.filter(
      (path) => /^(apps|packages)\//.test(path) && !used.has(path) && !started.test(path) && !isTestFile(path),
    )
    expect(unused).toEqual([])
  })
})

function isTestFile(path: string): boolean {
  return /\.(test|bench)\.ts$/.test(path) || path.startsWith('apps/console/')
}

function cyclesIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const walk = (area: string, trail: string[]): void => {
    if (trail.includes(area)) {
      cycles.push([...trail.slice(trail.indexOf(area)), area].join(' -> '))
      return
    }
    if (done.has(area)) return
    for (const next of edges.get(area) ?? []) walk(next, [...trail, area])
    done.add(area)
  }
  for (const area of edges.keys()) walk(area, [])
  return cycles
}
