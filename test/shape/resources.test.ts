// A resource is one contract with its handlers and tests, in files with the same name.
import { describe, expect, test } from 'vitest'
import { severalResources, testedIn } from './resources.exceptions.ts'
import { importsOf, read, sources } from './sources.ts'

const root = 'packages/areas/src/'
const declaration =
  /^export const (\w+) = \{\n(?:(?!^\}).*\n)*? {2}\w+: (?:get|ask|post|create|patch|put|del|live|raw)\(/gm
/** Files that declare operations, without their ending. */
const resources = sources.flatMap((path) => {
  const [, name] = /^packages\/areas\/src\/(.+)\.contract\.ts$/.exec(path) ?? []
  const declared = name === undefined ? [] : [...read(path).matchAll(declaration)]
  return name === undefined || declared.length === 0 ? [] : [{ name, declared: declared.length }]
})
const isThere = new Set(sources)

describe('each resource', () => {
  test('has a contract of its own', () => {
    const several = resources.filter(({ declared }) => declared > 1)
    expect(several.map(({ name }) => `${name}.contract.ts`)).toEqual(severalResources)
  })

  test('has its handlers beside the contract', () => {
    const without = resources.filter(({ name }) => {
      const handlers = `${root}${name}.ts`
      return !isThere.has(handlers) || !read(handlers).includes('implement(contract,')
    })
    expect(without.map(({ name }) => name)).toEqual(['access/scim/scim'])
  })

  test('has its tests beside the contract, or in a listed file', () => {
    const without = resources.filter(({ name }) => !isThere.has(`${root}${name}.test.ts`))
    expect(without.map(({ name }) => name)).toEqual(Object.keys(testedIn))
    expect(Object.values(testedIn).filter((path) => !isThere.has(path))).toEqual([])
  })

  test('is listed by its area', () => {
    const listed = new Set(
      sources
        .filter((path) => path.endsWith('/area.contract.ts'))
        .flatMap((path) => importsOf(path).map(({ to }) => to)),
    )
    expect(resources.map(({ name }) => `${root}${name}.contract.ts`).filter((path) => !listed.has(path))).toEqual([])
  })
})
