import { randomUUID } from 'node:crypto'
import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Result } from '@muster/wire/messages/result.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Journal } from './journal.ts'
import { journalBytesMax, journalKeptResultBytesMax, journalMemoryMs } from './limits.ts'
import { temporaryFolder } from './testing/test-agent.ts'

const id = (last: string) => `00000000-0000-4000-8000-00000000000${last}`
const [a, b, c] = [id('a'), id('b'), id('c')] as const
const soon = () => Date.now() + 60_000
const resultOf = (commandId: string, stdout = 'out'): Result => ({
  commandId,
  status: 'completed',
  stdout,
  durationMs: 5,
})

test('knows after reopening which commands began, finished and were acknowledged', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal.log')
  const journal = await Journal.open(path)
  await journal.begin(a, soon())
  await journal.begin(b, soon())
  await journal.finish(b, soon(), resultOf(b))
  await journal.finish(c, soon(), resultOf(c, 'with\nlines and ü'))
  await journal.acknowledge(c)
  await journal.close()

  for (let times = 0; times < 2; times++) {
    const again = await Journal.open(path)
    expect(again.idsIn('begun')).toEqual([a])
    expect(again.idsIn('finished')).toEqual([b])
    expect(again.idsIn('acknowledged')).toEqual([c])
    expect(again.result(b)).toEqual(resultOf(b))
    expect(again.result(c)).toEqual(resultOf(c, 'with\nlines and ü'))
    expect(again.result(a)).toBeUndefined()
    await again.close()
  }
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('keeps every complete line when the file is cut off at any byte', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal.log')
  const journal = await Journal.open(path)
  await journal.begin(a, 1e13)
  await journal.finish(a, 1e13, resultOf(a))
  await journal.begin(b, 1e13)
  await journal.close()
  const whole = await readFile(path)
  const ends = [...whole.entries()].filter(([, byte]) => byte === 10).map(([index]) => index + 1)
  const [afterBegin = 0, afterFinish = 0, afterAll = 0] = ends
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), async (length) => {
      await writeFile(path, whole.subarray(0, length))
      const cut = await Journal.open(path)
      expect(cut.stateOf(a)).toBe(length >= afterFinish ? 'finished' : length >= afterBegin ? 'begun' : undefined)
      expect(cut.stateOf(b)).toBe(length >= afterAll ? 'begun' : undefined)
      await cut.begin(c, 1e13)
      await cut.close()
      const after = await Journal.open(path)
      expect(after.stateOf(c)).toBe('begun')
      await after.close()
    }),
    { numRuns: 60 },
  )
})

test('loses only the damaged line', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal.log')
  const journal = await Journal.open(path)
  await journal.begin(a, soon())
  await journal.close()
  await appendFile(path, 'deadbeef begin x 12345 \nnot a line at all\n')
  const between = await readFile(path)
  const other = await Journal.open(join(folder.path, 'other.log'))
  await other.begin(b, soon())
  await other.close()
  await writeFile(path, Buffer.concat([between, await readFile(join(folder.path, 'other.log'))]))
  const again = await Journal.open(path)
  expect(again.idsIn('begun')).toEqual([a, b])
  await again.close()
})

test('forgets acknowledged commands long after their expiry, and open ones never', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal.log')
  const longAgo = Date.now() - journalMemoryMs - 1000
  const journal = await Journal.open(path)
  await journal.finish('old', longAgo, resultOf('old'))
  await journal.acknowledge('old')
  await journal.finish('waiting', longAgo, resultOf('waiting'))
  await journal.finish('recent', soon(), resultOf('recent'))
  await journal.acknowledge('recent')
  await journal.close()
  const again = await Journal.open(path)
  expect(['old', 'waiting', 'recent'].map((id) => again.stateOf(id))).toEqual([undefined, 'finished', 'acknowledged'])
  await again.close()
})

test('stays within its limits and keeps every unacknowledged result', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal.log')
  const journal = await Journal.open(path)
  const output = 'x'.repeat(256 * 1024)
  await journal.finish(a, soon(), resultOf(a, output))
  const ids = Array.from({ length: 120 }, () => randomUUID())
  for (const id of ids) {
    await journal.begin(id, soon())
    await journal.finish(id, soon(), resultOf(id, output))
    await journal.acknowledge(id)
    expect((await stat(path)).size).toBeLessThan(journalBytesMax + 1024 * 1024)
  }
  expect(journal.result(a)?.stdout).toHaveLength(output.length)
  expect(ids.every((id) => journal.stateOf(id) === 'acknowledged')).toBe(true)
  const lastId = ids.at(-1) ?? ''
  expect(journal.result(lastId)?.commandId).toBe(lastId)
  await journal.close()
  const again = await Journal.open(path)
  expect((await stat(path)).size).toBeLessThan(journalKeptResultBytesMax + 1024 * 1024)
  expect(again.result(a)?.commandId).toBe(a)
  expect(again.result(ids[0] ?? '')).toBeUndefined()
  expect(again.result(lastId)?.commandId).toBe(lastId)
  await again.close()
})

test('writes concurrent entries as complete lines', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal.log')
  const journal = await Journal.open(path)
  const ids = Array.from({ length: 50 }, () => randomUUID())
  await Promise.all(
    ids.map(async (id) => {
      await journal.begin(id, soon())
      await journal.finish(id, soon(), resultOf(id, id))
    }),
  )
  for (const id of ids) expect(journal.result(id)).toEqual(resultOf(id, id))
  await journal.close()
  await truncate(path, (await stat(path)).size - 3)
  const again = await Journal.open(path)
  expect(again.idsIn('finished').length + again.idsIn('begun').length).toBe(50)
  await again.close()
})
