import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { decodeUp } from '@muster/wire/up.ts'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Journal } from '../journal.ts'
import { Outbox } from '../outbox.ts'
import { loadPlatform } from '../platform/load.ts'
import { ServerClock } from '../server-clock.ts'
import { temporaryFolder } from '../testing/test-agent.ts'
import { ToolFailure } from '../tool-failure.ts'
import { defineCommand, type Outcome } from './command.ts'
import { CommandRunner } from './runner.ts'

vi.mock('../limits.ts', async (original) => ({
  ...(await original<typeof import('../limits.ts')>()),
  abortGraceMs: 50,
}))

const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }

/** A runner with one command, and the next result that it reports. */
async function runnerOf(journal: Journal, act: (signal: AbortSignal) => Promise<void>, outcome: Partial<Outcome> = {}) {
  const outbox = new Outbox()
  const reported = Promise.withResolvers<unknown>()
  const send = (frame: Uint8Array) => {
    const message = decodeUp(frame)
    if (message.name === 'result') reported.resolve(message.body)
    outbox.acknowledge(message.sequence)
  }
  outbox.attach({ backlogBytes: 0, send })
  const kind = defineCommand(z.object({}), async (_, { signal }) => {
    await act(signal)
    return { status: 'completed', ...outcome }
  })
  const registry = new Map([['act', kind]])
  const platform = await loadPlatform()
  const secrets = { areLost: () => false, statement: undefined }
  const runner = new CommandRunner({ registry, journal, outbox, clock: new ServerClock(), platform, secrets, log })
  return { runner, result: reported.promise }
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

test('reports a result that the protocol cannot carry as failed, with the reason and the output', async () => {
  await using folder = await temporaryFolder()
  const journal = await Journal.open(join(folder.path, 'journal.log'))
  const { runner, result } = await runnerOf(journal, async () => {}, { exitCode: 2 ** 31, stdout: 'out' })
  runner.receive(commandOf(randomUUID()))
  const error = expect.stringMatching(/^COMMAND_FAILED: it ran, but its result cannot be sent: .*exitCode/s)
  expect(await result).toMatchObject({ status: 'failed', stdout: 'out', error })
  await journal.close()
})

test('says why a stored result cannot be read', async () => {
  await using folder = await temporaryFolder()
  const journal = await Journal.open(join(folder.path, 'journal.log'))
  const { runner, result } = await runnerOf(journal, async () => {})
  const command = commandOf(randomUUID())
  const unreadable = { commandId: command.id, status: 'failed', exitCode: 2 ** 31, durationMs: 1 } as const
  await journal.finish(command.id, command.expiresAt, unreadable)
  runner.receive(command)
  const error = expect.stringMatching(/^RESULT_FORGOTTEN: it ran, but its stored result cannot be read: .*exitCode/s)
  expect(await result).toMatchObject({ status: 'failed', error })
  await journal.close()
})

describe('a command at its time limit', () => {
  const endOf = async (act: (signal: AbortSignal) => Promise<void>) => {
    await using folder = await temporaryFolder()
    const journal = await Journal.open(join(folder.path, 'journal.log'))
    const { runner, result } = await runnerOf(journal, act)
    runner.receive({ ...commandOf(randomUUID()), timeoutMs: 20 })
    const ended = await result
    await journal.close()
    return ended
  }

  test('says that it went on, when it did not react to its abort', async () => {
    const error = 'TIMED_OUT: it did not end within 0.05 s after its abort; the machine may still work on it'
    expect(await endOf(() => new Promise(() => undefined))).toMatchObject({ status: 'timed_out', error })
  })

  test('keeps its own words about what it waited for', async () => {
    const act = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => {
        const failure = new ToolFailure('TIMED_OUT', 'Service Hanging is still stopping')
        signal.addEventListener('abort', () => reject(failure))
      })
    const error = 'TIMED_OUT: Service Hanging is still stopping'
    expect(await endOf(act)).toMatchObject({ status: 'timed_out', error })
  })
})
