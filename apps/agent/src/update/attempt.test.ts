import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../canonical.ts'
import { temporaryFolder } from '../testing/test-agent.ts'
import { UpdateSteps } from './attempt.ts'
import { Installation } from './installation.ts'
import { type Checkpoint, UpdateJournal } from './update-journal.ts'
import { UpdateRefused } from './update-refused.ts'

/*
 * A machine without processes: the content of an executable decides what it would do. `works-2.0.0` is confirmed when it
 * is started, `broken-3.0.0` is not.
 */

class Killed extends Error {}

class Machine {
  readonly directory: string
  readonly #folder: string
  /** Changes of the disk before the whole machine is killed; never when undefined. */
  #left: number | undefined
  reached: string[] = []

  constructor(folder: string) {
    this.#folder = join(folder, 'opt')
    this.directory = join(folder, 'data')
  }

  async install(content: string): Promise<void> {
    await mkdir(this.#folder)
    await mkdir(this.directory)
    await writeFile(join(this.#folder, 'muster-agent'), content)
    await this.installation.giveToWatchdog()
  }

  get installation(): Installation {
    return new Installation(join(this.#folder, 'muster-agent'), this.#checkpoint)
  }

  get journal(): UpdateJournal {
    return new UpdateJournal(this.directory, this.#checkpoint)
  }

  get steps(): UpdateSteps {
    return new UpdateSteps(this.installation, this.journal)
  }

  killAfter(checkpoints: number | undefined): void {
    this.#left = checkpoints
    this.reached = []
  }

  readonly #checkpoint: Checkpoint = (name) => {
    this.reached.push(name)
    if (this.#left === undefined) return
    if (this.#left === 0) throw new Killed(name)
    this.#left--
  }

  read(path: string): Promise<string> {
    return readFile(path, 'utf8')
  }

  /** The running version of the agent accepts an offer, if allowed. */
  async offer(content: string): Promise<void> {
    const running = versionOf(await this.read(this.installation.current))
    await this.steps.settle(running)
    const { barred, attempt } = await this.journal.read()
    const version = versionOf(content)
    if (barred.includes(version) || attempt !== undefined || version <= running) return
    const offer = { version, sha256: sha256(content), url: 'https://releases.test/x', size: content.length }
    await this.steps.begin(offer, running)
    await writeFile(this.installation.next, content)
    await this.steps.install()
  }

  /** The watchdog starts the agent until a version stays up. @returns the version that runs in the end */
  async start(): Promise<string> {
    for (;;) {
      const { trial } = await this.steps.beforeStart()
      const content = await this.read(this.installation.current)
      expect(['works-1.0.0', 'works-2.0.0', 'broken-3.0.0']).toContain(content)
      if (content.startsWith('works')) {
        if (trial !== undefined) await this.steps.confirm(versionOf(content))
        return content
      }
      // Nothing that fails is ever started unwatched.
      expect(trial?.version).toBe(versionOf(content))
      await this.steps.rollBack({ reason: 'did_not_start', error: 'it ended', bars: true })
    }
  }
}

const versionOf = (content: string) => content.split('-')[1] ?? ''

async function untilKilled(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return false
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    return true
  }
}

describe('killed at any moment of an update', () => {
  test.each([
    ['that works', 'works-2.0.0', 'works-2.0.0'],
    ['that is broken', 'broken-3.0.0', 'works-1.0.0'],
  ])('%s: always leaves a complete executable, and ends with the same result', async (_name, offered, expected) => {
    const killed: string[] = []
    for (let checkpoints = 0; ; checkpoints++) {
      await using folder = await temporaryFolder(true)
      const machine = new Machine(folder.path)
      await machine.install('works-1.0.0')
      machine.killAfter(checkpoints)
      const wasKilled = await untilKilled(async () => {
        await machine.offer(offered)
        await machine.start()
      })
      if (wasKilled) killed.push(machine.reached.at(-1) ?? '')
      machine.killAfter(undefined)
      // The machine starts again, and the server offers again.
      await machine.start()
      await machine.offer(offered)
      expect(await machine.start(), killed.at(-1)).toBe(expected)
      const { attempt, barred, floor, outcome } = await machine.journal.read()
      expect(attempt).toBeUndefined()
      expect(floor).toBe(versionOf(expected))
      expect(barred).toEqual(expected === offered ? [] : [versionOf(offered)])
      expect(outcome).toMatchObject({ version: versionOf(offered), fromVersion: '1.0.0' })
      if (!wasKilled) break
    }
    expect(killed.length).toBeGreaterThan(10)
    expect(new Set(killed.map((name) => name.replace(/\S*\//, ''))).size).toBeGreaterThan(8)
  })

  test('twice in a row, at any two moments: ends with the same result', async () => {
    for (let first = 0; first < 24; first += 2) {
      for (let second = 0; second < 12; second += 3) {
        await using folder = await temporaryFolder(true)
        const machine = new Machine(folder.path)
        await machine.install('works-1.0.0')
        machine.killAfter(first)
        await untilKilled(async () => {
          await machine.offer('broken-3.0.0')
          await machine.start()
        })
        machine.killAfter(second)
        await untilKilled(() => machine.start())
        machine.killAfter(undefined)
        expect(await machine.start()).toBe('works-1.0.0')
      }
    }
  })
})

describe('a new version', () => {
  test('is rolled back when it is killed three times before it is confirmed', async () => {
    await using folder = await temporaryFolder(true)
    const machine = new Machine(folder.path)
    await machine.install('works-1.0.0')
    await machine.offer('works-2.0.0')
    for (const starts of [1, 2, 3])
      expect((await machine.steps.beforeStart()).trial).toMatchObject({ version: '2.0.0', starts })
    expect((await machine.steps.beforeStart()).trial).toBeUndefined()
    expect(await machine.read(machine.installation.current)).toBe('works-1.0.0')
    expect(await machine.journal.read()).toMatchObject({ barred: ['2.0.0'], outcome: { state: 'rolled_back' } })
  })

  test('is rolled back but not barred when the server cannot be reached', async () => {
    await using folder = await temporaryFolder(true)
    const machine = new Machine(folder.path)
    await machine.install('works-1.0.0')
    await machine.offer('works-2.0.0')
    await machine.steps.beforeStart()
    await machine.steps.rollBack({ reason: 'did_not_connect', error: 'no server', bars: false })
    expect(await machine.read(machine.installation.current)).toBe('works-1.0.0')
    expect((await machine.journal.read()).barred).toEqual([])
  })

  test('can be rolled back without the backup, from the executable of the watchdog', async () => {
    await using folder = await temporaryFolder(true)
    const machine = new Machine(folder.path)
    await machine.install('works-1.0.0')
    await machine.offer('broken-3.0.0')
    await rm(machine.installation.previous)
    expect(await machine.start()).toBe('works-1.0.0')
  })
})

describe('U9: refusals of an update', () => {
  test('are retried after a minute, then with increasing delays up to a day; for a locked file at the next offer', async () => {
    await using folder = await temporaryFolder(true)
    const machine = new Machine(folder.path)
    await machine.install('works-1.0.0')
    const failed = new UpdateRefused('download_failed', 'no answer')
    expect(await machine.steps.refuse('2.0.0', failed, 1000)).toBe(61_000)
    expect(await machine.steps.refuse('2.0.0', failed, 1000)).toBe(121_000)
    expect(await machine.steps.refuse('2.0.0', new UpdateRefused('file_locked', 'busy'), 1000)).toBe(1000)
    for (let times = 0; times < 20; times++) await machine.steps.refuse('2.0.0', failed, 0)
    expect((await machine.journal.read()).retry?.notBefore).toBe(86_400_000)
    expect(await machine.steps.refuse('2.0.1', failed, 0)).toBe(60_000)
  })

  test('bar a version that cannot print its version on this machine', async () => {
    await using folder = await temporaryFolder(true)
    const machine = new Machine(folder.path)
    await machine.install('works-1.0.0')
    await machine.steps.refuse('2.0.0', new UpdateRefused('did_not_start', 'Exec format error'), 0)
    expect((await machine.journal.read()).barred).toEqual(['2.0.0'])
  })
})

test('replaces a damaged executable that was confirmed by the backup', async () => {
  await using folder = await temporaryFolder(true)
  const machine = new Machine(folder.path)
  await machine.install('works-1.0.0')
  await machine.offer('works-2.0.0')
  await machine.start()
  await writeFile(`${machine.installation.current}.bad`, 'broken-9.9.9')
  await rename(`${machine.installation.current}.bad`, machine.installation.current)
  expect(await machine.steps.fallBack('it failed to start 5 times')).toBe(true)
  expect(await machine.read(machine.installation.current)).toBe('works-1.0.0')
  expect(await machine.steps.fallBack('it failed to start 5 times')).toBe(false)
})

test('moves a damaged journal aside', async () => {
  await using folder = await temporaryFolder(true)
  const machine = new Machine(folder.path)
  await machine.install('works-1.0.0')
  await writeFile(join(machine.directory, 'update.json'), '{"attempt":')
  expect(await machine.journal.read()).toEqual({ barred: [] })
  expect(await machine.start()).toBe('works-1.0.0')
})
