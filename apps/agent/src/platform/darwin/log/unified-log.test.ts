import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeMac, fakeMac } from '../testing/fake-mac.ts'
import { microsOf, parseLogLine, quoted } from './log-show.ts'
import { predicateOf, UnifiedLog } from './unified-log.ts'

const now = Date.now()
const at = (agoMs: number, micros = '000') =>
  `${new Date(now - agoMs).toISOString().replace('T', ' ').slice(0, 23)}${micros}+0000`
const line = (agoMs: number, message: string, more: object = {}) =>
  JSON.stringify({
    ...{ timestamp: at(agoMs), machTimestamp: 1_000_000_000 - agoMs, threadID: 7, processID: 77 },
    ...{ processImagePath: '/usr/sbin/sshd', subsystem: 'com.example', messageType: 'Default', eventMessage: message },
    eventType: 'logEvent',
    ...more,
  })
const minute = 60_000
const hour = 60 * minute
const recent = [
  line(50_000, 'first'),
  line(40_000, 'same time, one', { machTimestamp: 1 }),
  line(40_000, 'same time, two 🗂', { machTimestamp: 2 }),
  line(1_000, 'newest', { messageType: 'Error' }),
]
const old = [line(20 * hour, 'long ago', { messageType: 'Fault', processImagePath: '/kernel' })]

/** Prints the lines of a span as log does, with its notes around them, oldest first. */
const program = `#!${process.execPath}
const [, , ...args] = process.argv
const value = (flag) => args[args.indexOf(flag) + 1]
require('node:fs').appendFileSync(__dirname + '/asked', JSON.stringify(args) + '\\n')
const moment = (text) => Date.parse(text.replace(' ', 'T'))
console.log('Filtering the log data using "..."')
const lines = require('node:fs').readFileSync(__dirname + '/lines', 'utf8').trim().split('\\n')
if (lines[0] === 'hang') setInterval(() => {}, 1000)
else if (lines[0] === 'fail') { console.error('log: Could not open local log store'); process.exitCode = 64 }
else {
  const inside = lines.filter((each) => {
    const at = moment(JSON.parse(each).timestamp)
    return at >= moment(value('--start')) && at <= moment(value('--end'))
  })
  console.log(inside.join('\\n'))
  console.log('not JSON at all {')
  console.log(JSON.stringify({ count: inside.length, finished: 1 }))
}
`

let mac: FakeMac
let bin: string
let log: UnifiedLog
const write = (lines: readonly string[]) => writeFile(join(bin, 'lines'), lines.join('\n'))
beforeAll(async () => {
  mac = await fakeMac({})
  bin = mac.mac.path
  await writeFile(join(bin, 'log'), program, { mode: 0o755 })
  log = new UnifiedLog(mac.mac)
})
afterAll(() => mac[Symbol.asyncDispose]())
const ask = (more: object = {}) => log.events({ name: 'unified', limit: 10, ...more })
const messages = ({ events }: Awaited<ReturnType<typeof ask>>) => events.map(({ message }) => message)

describe('the unified log', () => {
  test('is read newest first in pages, which lose no event of the same time and repeat none', async () => {
    await write([...old, ...recent])
    const found: string[] = []
    let before: string | undefined
    for (let page = 0; page < 9; page++) {
      const answer = await ask({ limit: 1, ...(before !== undefined && { before }) })
      found.push(...messages(answer))
      if (answer.nextBefore === null) break
      before = answer.nextBefore
    }
    expect(found).toEqual(['newest', 'same time, two 🗂', 'same time, one', 'first', 'long ago'])
  })

  test('is searched further back while a page is not full', async () => {
    await write([...old, ...recent])
    const answer = await ask()
    expect(messages(answer)).toHaveLength(5)
    expect(answer).toMatchObject({ nextBefore: null })
    expect(answer.events.at(-1)).toMatchObject({ level: 'critical', source: 'kernel', pid: 77 })
  })

  test('is filtered by level, text, source and time', async () => {
    await write([...old, ...recent])
    expect(messages(await ask({ level: 'error' }))).toEqual(['newest', 'long ago'])
    expect(messages(await ask({ search: 'TWO' }))).toEqual(['same time, two 🗂'])
    expect(messages(await ask({ source: 'kernel' }))).toEqual(['long ago'])
    const [since, until] = [now - 45_000, now - 30_000].map((ms) => new Date(ms).toISOString())
    expect(messages(await ask({ since, until }))).toEqual(['same time, two 🗂', 'same time, one'])
  })

  test('shows one event with all its fields, and reports a missing one', async () => {
    await write(recent)
    const [event] = (await ask({ search: 'two' })).events
    expect(await log.event(event?.recordId ?? '')).toMatchObject({
      message: 'same time, two 🗂',
      fields: { subsystem: 'com.example', threadID: '7' },
    })
    for (const recordId of ['--help', '1', `${event?.recordId}9`])
      await expect(log.event(recordId)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(ask({ before: '--help' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('reports an empty log, and the message of a log that cannot be read', async () => {
    await write(['{"timestamp":"1999-01-01 00:00:00.000000+0000"}'])
    expect(await ask()).toEqual({ events: [], nextBefore: null })
    await write(['fail'])
    await expect(ask()).rejects.toThrow('Could not open local log store')
  })

  test('times out instead of hanging', async () => {
    await write(['hang'])
    const impatient = new UnifiedLog(mac.mac, 2_500)
    await expect(impatient.events({ name: 'unified', limit: 1 })).rejects.toMatchObject({ code: 'TIMED_OUT' })
  })
})

test('conditions are quoted, so that a search cannot become one', () => {
  expect(quoted('a" OR "\\')).toBe('"a\\" OR \\"\\\\"')
  const asked = { name: 'unified', limit: 1 }
  expect(predicateOf({ ...asked, level: 'alert' })).toBe('eventType == logEvent AND messageType == fault')
  expect(predicateOf({ ...asked, level: 'info', search: 'x"y' })).toBe(
    'eventType == logEvent AND eventMessage CONTAINS[c] "x\\"y"',
  )
})

test.each([
  ['2026-11-22 21:21:36.123456+0100', Date.parse('2026-11-22T20:21:36.123Z') * 1000 + 456],
  ['2026-11-22 21:21:36,5-0800', Date.parse('2026-11-23T05:21:36.500Z') * 1000],
  ['2026-11-22 21:21:36', null],
  ['', null],
  [undefined, null],
])('reads the time %s', (text, micros) => {
  expect(microsOf(text)).toBe(micros)
})

test.each(['', '[', '{"count":1,"finished":1}', '{"timestamp":5}', '[{"timestamp":"x"}]', 'null'])(
  'skips the line %j',
  (text) => {
    expect(parseLogLine(text)).toBeUndefined()
  },
)
