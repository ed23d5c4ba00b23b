import { expect, test } from 'vitest'
import { british } from './british.ts'
import { filesIn, read } from './sources.ts'

const folders = ['apps/console/src', 'test/console']

/** Words that the style guide replaces: “no user”, “a user”, “again”, “all”, “fix”, “email”. */
const avoided =
  /\b(?:nobody|somebody|anybody|everybody|whoever|whatever|whomever|anew|mend(?:s|ed)?|overheard|e-mails?|called off|set aside|good for|lets? in|gives? back|taken? back|taken? away)\b|\bevery (?!day\b)[a-z]+/gi

/** Values of the API, attributes of ARIA and former addresses. */
const kept = /\bcancelled\b|aria-labelledby|['`]\/(?:organisations|enrolment)[^'`]*['`]/g

const wordsIn = (path: string) => {
  const text = read(path).replace(kept, '')
  return [...(text.match(british) ?? []), ...(text.match(avoided) ?? [])].map((word) => `${path}: ${word}`)
}

test.each(folders)('%s has no British spellings and no avoided words', (folder) => {
  expect(filesIn(folder).flatMap(wordsIn)).toEqual([])
})
