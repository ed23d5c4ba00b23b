// How the code is divided: small folders, ordered groups, no import cycles, one writing area per table.
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writerExceptions } from './rooms.exceptions.ts'
import { codeLines, filesIn, type Import, importsOf, isTest, sources } from './sources.ts'

const filesMax = 20
/** A group uses only itself and the groups before it. */
const groups = ['platform', 'tenancy', 'access', 'fleet', 'control', 'watch', 'change', 'insight', 'connect']

const imports = sources.filter((path) => !isTest(path)).flatMap(importsOf)
const places = /^packages\/areas\/src\/([^/]+)\/([^/]+)\//
const groupOf = (path: string) => places.exec(path)?.[1]
const told = ({ from, to }: Import) => `${from} imports ${to}`

const divided = ['packages/areas/src', 'packages/kit/src', 'apps/console/src']

test.each(divided)(`a folder of %s has at most ${filesMax} files`, (root) => {
  const sizes = Map.groupBy(filesIn(root), dirname)
  const full = [...sizes].flatMap(([folder, files]) => (files.length > filesMax ? [folder] : []))
  expect(full).toEqual([])
})

test('a group of areas imports only from groups before it', () => {
  const wrong = imports.filter(({ from, to, onlyTypes }) => {
    const [user, used] = [groups.indexOf(groupOf(from) ?? ''), groups.indexOf(groupOf(to) ?? '')]
    return !onlyTypes && user >= 0 && used > user
  })
  expect(wrong.map(told)).toEqual([])
})

test('every group of areas has a place in that order', () => {
  const found = new Set(sources.flatMap((path) => groupOf(path) ?? []))
  expect([...found].filter((group) => !groups.includes(group))).toEqual([])
})

test('no files import each other in a cycle, type imports included', () => {
  const wrong = circlesOf(imports)
  expect(wrong).toEqual([])
})

describe('a table has one writing area', () => {
  const statements =
    /(?:insertInto|updateTable|deleteFrom)\('([A-Za-z]+)'\)|(?:INSERT INTO|DELETE FROM|UPDATE) ([a-z_]+)(?=[\s(])/g
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const writer = (path: string) => {
    const [, group, area] = places.exec(path) ?? []
    return area === undefined ? dirname(path).split('/').slice(0, 2).join('/') : `${group}/${area}`
  }
  const writers = new Map<string, Set<string>>()
  for (const path of sources) {
    if (isTest(path) || !/^(packages\/areas|apps\/worker)\/src\//.test(path)) continue
    for (const { text } of codeLines(path))
      for (const [, camel, plain] of text.matchAll(statements)) {
        const table = camel === undefined ? (plain ?? '') : snake(camel)
        writers.set(table, (writers.get(table) ?? new Set()).add(writer(path)))
      }
  }

  test('except for tables in a list that only shrinks', () => {
    const shared = [...writers].filter(([, areas]) => areas.size > 1)
    expect(Object.fromEntries(shared.map(([table, areas]) => [table, [...areas].sort()]))).toEqual(writerExceptions)
  })
})

/** The import cycles, each as a list of files in alphabetical order. */
function circlesOf(edges: readonly Import[]): string[][] {
  const used = Map.groupBy(edges, ({ from }) => from)
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (file: string): void => {
    order.set(file, order.size)
    lowest.set(file, order.size - 1)
    open.push(file)
    for (const { to } of used.get(file) ?? []) {
      if (!order.has(to)) visit(to)
      if (open.includes(to)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(to) ?? 0))
    }
    if (lowest.get(file) !== order.get(file)) return
    const circle = open.splice(open.indexOf(file))
    if (circle.length > 1) circles.push(circle.sort())
  }
  for (const file of used.keys()) if (!order.has(file)) visit(file)
  return circles.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
}
