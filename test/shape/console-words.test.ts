import { expect, test } from 'vitest'
import { british } from './british.ts'
import { filesIn, read } from './sources.ts'

/** The folders whose words are checked. Add a folder when its words are cleaned. */
const folders = [
  'apps/console/src/areas/access',
  'apps/console/src/areas/control/rollouts',
  'apps/console/src/areas/fleet/custom-fields',
  'apps/console/src/areas/fleet/enrollment',
  'apps/console/src/areas/fleet/groups',
  'apps/console/src/areas/platform',
  'apps/console/src/areas/tenancy/tenancy',
]

/** Words that the style guide replaces: “no user”, “a user”, “again”, “all”, “fix”, “email”. */
const avoided =
  /\b(?:nobody|somebody|anybody|everybody|whoever|whatever|whomever|anew|mend(?:s|ed)?|overheard|e-mails?|called off|set aside|good for|lets? in|gives? back|taken? back|taken? away)\b|\bevery (?!day\b)[a-z]+/gi

/** Values of the API, attributes of ARIA and former addresses. */
const kept = /\bcancelled\b|aria-labelledby|'\/(?:organisations|enrolment)[^']*'/g

const wordsIn = (path: string) => {
  const text = read(path).replace(kept, '')
  return [...(text.match(british) ?? []), ...(text.match(avoided) ?? [])].map((word) => `${path}: ${word}`)
}

test.each(folders)('%s has no British spellings and no avoided words', (folder) => {
  expect(filesIn(folder).flatMap(wordsIn)).toEqual([])
})
