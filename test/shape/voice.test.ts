import { expect, test } from 'vitest'
import { britishIn } from './british.ts'
import { read, sources } from './sources.ts'

/** Words that the style guide replaces with plain terms: no user, a user, again. */
const vague = /\b(nobody|somebody|whoever|whomever|anybody|everybody|whatever|anew)\b/gi
/** Phrases of comments and test names that have a plain term: the requester, valid, accept, return, expire, cancel. */
const indirect =
  /\b(who asks|whose it is|is no good|lets? in|gives? back|given back|taken? (?:away|back)|shut out|of ours|worthless|in vain|overheard|on its way|called off|set aside|so many|no fewer than|not more than|runs? out|log on|finding \d+|deviation \d+)\b/gi
/** The system account of Unix, in files that read or use it. */
const account = /(:|const |^ +)nobody\b|\bnobody:x:/gm

const folders = [
  'apps/admin',
  'apps/agent',
  'apps/ingest',
  'apps/worker',
  'bench',
  'packages/areas/src/access',
  'packages/areas/src/background',
  'packages/areas/src/control',
  'packages/areas/src/fleet',
  'packages/areas/src/insight',
  'packages/areas/src/platform',
  'packages/areas/src/tenancy',
  'packages/backplane',
  'packages/db',
  'packages/demo',
  'packages/files',
  'packages/kit',
  'packages/releases',
  'packages/stack',
  'packages/testkit',
  'packages/wire',
  'scripts',
  'test/gates',
  'test/long',
  'test/system',
]
const files = sources.filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))

/** Comments, and the names of tests. */
function proseOf(text: string): string {
  const comments = text.match(/(?<![:'"`\w])\/\/.*|\/\*[\s\S]*?\*\//g) ?? []
  const names = text.match(/^\s*(?:describe|it|test)\b.*$/gm) ?? []
  return [...comments, ...names].join('\n')
}

test('no source uses vague words', () => {
  const found = files.flatMap((path) =>
    (read(path).replace(account, '').match(vague) ?? []).map((word) => `${path}: ${word}`),
  )
  expect(found).toEqual([])
})

test('comments and test names use plain terms', () => {
  const found = files.flatMap((path) => (proseOf(read(path)).match(indirect) ?? []).map((word) => `${path}: ${word}`))
  expect(found).toEqual([])
})

test('comments and test names are in American English', () => {
  const found = files.flatMap((path) =>
    britishIn(proseOf(read(path).replaceAll("'cancelled'", ''))).map((word) => `${path}: ${word}`),
  )
  expect(found).toEqual([])
})
