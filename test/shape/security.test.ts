import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { isTest, read, sources } from './sources.ts'

const document = 'docs/security.md'
const tests = [...sources].filter(isTest)

/** A row of the threat model, or of the standard's requirements. */
const isRule = (line: string) => /^\| (T\d+|\d+\.\d+\.\d+)/.test(line)

interface Reference {
  readonly rule: string
  readonly file: string
  /** Parts of test names, or ids of cases. */
  readonly promises: readonly string[]
}

/** The references in the last column of the tables: `file.test.ts "a promise", "another"; other.test.ts A1`. */
function references(): Reference[] {
  const rows = read(document)
    .split('\n')
    .filter((line) => isRule(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.flatMap((cells) => {
    const [, rule = ''] = cells
    const shownBy = cells.at(-2) ?? ''
    return [...shownBy.matchAll(/([\w.-]+\.test\.ts)((?:(?!\b[\w.-]+\.test\.ts).)*)/g)].map(
      ([, file = '', words = '']) => ({
        rule,
        file,
        promises: [...words.matchAll(/"([^"]+)"|\b([A-Z]\d+)\b/g)].map(([, promise, id]) => promise ?? id ?? ''),
      }),
    )
  })
}

test('every test that the security page refers to exists, with the quoted name', () => {
  const found = references()
  expect(found.length).toBeGreaterThan(40)
  const missing = found.flatMap(({ rule, file, promises }) => {
    const text = tests
      .filter((one) => basename(one) === file)
      .map(read)
      .join('\n')
    if (text === '') return [`${rule}: there is no ${file}`]
    return promises
      .filter((promise) => !text.includes(promise))
      .map((promise) => `${rule}: ${file} has no "${promise}"`)
  })
  expect(missing).toEqual([])
})

test('every rule of the tables says how it is met, and which test proves it or why none does', () => {
  const bare = read(document)
    .split('\n')
    .filter((line) => isRule(line))
    .filter((line) =>
      line
        .split('|')
        .slice(2, -1)
        .some((cell) => cell.trim() === ''),
    )
  expect(bare).toEqual([])
})
