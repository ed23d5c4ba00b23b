import { expect, test } from 'vitest'
import { readArguments } from './start-arguments.ts'

test.each([
  [[], { demo: 0, outbox: false }],
  [['--demo'], { demo: 2_000, outbox: false }],
  [['--demo', '--outbox'], { demo: 2_000, outbox: true }],
  [['--outbox', '--demo', '50'], { demo: 50, outbox: true }],
  [['--demo=0'], { demo: 0, outbox: false }],
  [['-h'], 'help'],
])('reads %j', (args, read) => {
  expect(readArguments(args)).toEqual(read)
})

test.each([[['--demo', 'many']], [['--demo', '15001']], [['--deno']], [['50']]])(
  'rejects %j and shows the usage',
  (args) => {
    expect(() => readArguments(args)).toThrow(/usage: npm start/)
  },
)
