import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { filesIn } from './sources.ts'

/** The last migration from the time when numbers were assigned in blocks. */
const lastInBlocks = 163
const migrations = filesIn('migrations')
  .map((path) => basename(path))
  .sort()
const owners = new Set(
  filesIn('packages').flatMap((path) => {
    const [, unit = '', , ...folders] = path.split('/').slice(0, -1)
    return unit === 'areas' ? folders : [unit]
  }),
)

const numberOf = (name: string) => Number(name.slice(0, 4))

test('every migration has a unique number', () => {
  const numbers = migrations.map(numberOf)
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('each new migration takes the next number', () => {
  const numbers = migrations.map(numberOf).filter((number) => number > lastInBlocks)
  expect(numbers).toEqual(numbers.map((_, index) => lastInBlocks + 1 + index))
})

test('the name of each new migration begins with its area or package', () => {
  const wrong = migrations
    .filter((name) => numberOf(name) > lastInBlocks)
    .filter(
      (name) => ![...owners].some((owner) => name.startsWith(`${String(numberOf(name)).padStart(4, '0')}-${owner}-`)),
    )
  expect(wrong).toEqual([])
})
