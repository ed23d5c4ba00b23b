import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { decodeUp } from '@muster/wire/up.ts'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Journal } from '../journal.ts'
import { Outbox } from '../outbox.ts'
import { loadPlatform } from '../platform/load.ts'
import { ServerClock } from '../server-clock.ts'
import { temporaryFolder } from '../testing/test-agent.ts'
import { defineCommand } from './command.ts'
import { CommandRunner } from './runner.ts'

const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }

/** A runner with one command, and the next result that it reports. */
async function runnerOf(journal: Journal, act: () => Promise<void>) {
  const outbox = new Outbox()
  const handed = Promise.withResolvers<unknown>()
  const send = (frame: Uint8Array) => {
    const message = decodeUp(frame)
    if (message.name === 'result') handed.resolve(message.body)
    outbox.acknowledge(message.sequence)
  }
  outbox.attach({ backlogBytes: 0, send })
  const kind = defineCommand(z.object({}), async () => {
    await act()
    return { status: 'completed' }
  })
  const registry = new Map([['act', kind]])
  const platform = await loadPlatform()
  const runner = new CommandRunner({ registry, journal, outbox, clock: new ServerClock(), platform, log })
  return { runner, result: handed.promise }
}

const commandOf = (id: string) => ({ id, type: 'act', payload: {}, timeoutMs: 60_000, expiresAt: Date.now() + 60_000 })

test('does not run a command that cannot be journaled', async () => {
  await using folder = await temporaryFolder()
  const journal = await Journal.open(join(folder.path, 'journal.log'))
  const act = vi.fn(async () => {})
  const { runner, result } = await runnerOf(journal, act)
  // From here on every write fails, as on a full disk.
  await journal.close()
  const id = randomUUID()
  runner.receive(commandOf(id))
  expect(await result).toMatchObject({ commandId: id, error: expect.stringMatching(/^JOURNAL_UNAVAILABLE: /) })
  expect(act).not.toHaveBeenCalled()
})

test('does not repeat a command whose end could not be journaled', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal.log')
  const journal = await Journal.open(path)
  const act = vi.fn(() => journal.close())
  const { runner, result } = await runnerOf(journal, act)
  const command = commandOf(randomUUID())
  runner.receive(command)
  expect(await result).toMatchObject({ status: 'completed' })
  runner.receive(command)
  expect(act).toHaveBeenCalledOnce()
  const again = await Journal.open(path)
  expect(again.stateOf(command.id)).toBe('begun')
  await again.close()
})

test('fails a command that throws, with its message', async () => {
  await using folder = await temporaryFolder()
  const journal = await Journal.open(join(folder.path, 'journal.log'))
  const { runner, result } = await runnerOf(journal, () => Promise.reject(new Error('no such thing')))
  runner.receive(commandOf(randomUUID()))
  expect(await result).toMatchObject({ status: 'failed', error: 'COMMAND_FAILED: no such thing' })
  await journal.close()
})
