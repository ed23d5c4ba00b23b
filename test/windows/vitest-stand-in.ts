// Stands in for vitest inside an executable for Windows: runs tests one after the other, and compares with the words that the
// protocol tests of the agent use.
import { ok } from 'node:assert/strict'
import { inspect, isDeepStrictEqual } from 'node:util'

type Work = () => Promise<void> | void
const tests: { name: string; work: Work }[] = []
const [before, after]: [Work[], Work[]] = [[], []]
const testMs = 60_000

export const test = (name: string, work: Work) => void tests.push({ name, work })
export const beforeEach = (work: Work) => void before.push(work)
export const afterEach = (work: Work) => void after.push(work)

/** Runs all tests. @returns the names, each with its error if it failed */
export async function runTests(): Promise<{ name: string; error?: string }[]> {
  const ended: { name: string; error?: string }[] = []
  for (const { name, work } of tests) {
    const error = await attempt(async () => {
      for (const prepare of before) await prepare()
      await work()
    })
    const untidy = await attempt(async () => {
      for (const tidy of after) await tidy()
    })
    const failure = error ?? untidy
    ended.push(failure === undefined ? { name } : { name, error: failure })
  }
  return ended
}

async function attempt(work: () => Promise<void>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${testMs} ms`)), testMs)
  })
  try {
    await Promise.race([work(), late])
    return undefined
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  } finally {
    clearTimeout(timer)
  }
}

/** Without the members that are undefined, which count as absent. */
function known(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(known)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([name, member]) => [name, known(member)]))
}

const isEqual = (actual: unknown, expected: unknown) => isDeepStrictEqual(known(actual), known(expected))
const contains = (actual: unknown, expected: unknown) =>
  typeof actual === 'string' && typeof expected === 'string'
    ? actual.includes(expected)
    : Array.isArray(actual) && actual.includes(expected)
const lengthOf = (actual: unknown) => (typeof actual === 'string' || Array.isArray(actual) ? actual.length : undefined)

const comparisons = {
  toBe: (actual: unknown, expected: unknown) => Object.is(actual, expected),
  toEqual: isEqual,
  toContain: contains,
  toMatch: (actual: unknown, pattern: RegExp) => typeof actual === 'string' && pattern.test(actual),
  toHaveLength: (actual: unknown, length: number) => lengthOf(actual) === length,
  toHaveProperty: (actual: unknown, name: string) => typeof actual === 'object' && actual !== null && name in actual,
  toBeGreaterThanOrEqual: (actual: unknown, least: number) => Number(actual) >= least,
  toBeLessThanOrEqual: (actual: unknown, most: number) => Number(actual) <= most,
}

/** The comparisons for a value, or their opposites. */
function matchers(actual: unknown, isWanted: boolean) {
  const entries = Object.entries(comparisons).map(([name, compare]) => [
    name,
    (expected: never) => {
      const words = `expected ${inspect(actual)} ${isWanted ? '' : 'not '}${name} ${inspect(expected)}`
      ok(compare(actual, expected) === isWanted, words)
    },
  ])
  return Object.fromEntries(entries)
}

export function expect(actual: unknown) {
  const toThrow = async (expected: RegExp | (new (...args: never[]) => Error)) => {
    const error: unknown = await Promise.resolve(actual).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    const isExpected = expected instanceof RegExp ? expected.test(String(error)) : error instanceof expected
    ok(isExpected, `expected a rejection with ${inspect(expected)}, not ${inspect(error)}`)
  }
  return { ...matchers(actual, true), not: matchers(actual, false), rejects: { toThrow } }
}
