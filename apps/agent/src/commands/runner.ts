import type { Command } from '@muster/wire/messages/command.ts'
import type { Result } from '@muster/wire/messages/result.ts'
import type { Journal } from '../journal.ts'
import { abortGraceMs, commandsAtOnce, commandsWaitingMax } from '../limits.ts'
import type { Log } from '../log.ts'
import type { ScriptSecrets } from '../orders/script-secrets.ts'
import type { Outbox } from '../outbox.ts'
import type { Platform } from '../platform/platform.ts'
import type { ServerClock } from '../server-clock.ts'
import { type CommandKind, errorText, failed, type Outcome, type OutputPiece, type Prepared } from './command.ts'
import { sendableResult } from './sendable-result.ts'

export interface RunnerOptions {
  registry: ReadonlyMap<string, CommandKind>
  journal: Journal
  outbox: Outbox
  clock: ServerClock
  platform: Platform
  secrets: Pick<ScriptSecrets, 'areLost' | 'statement'>
  log: Log
}

type Run = Extract<Prepared, { ok: true }>['run']
type Ended = Omit<Result, 'commandId' | 'durationMs'>
/** Why a running command is aborted. */
type Abortion = 'timed_out' | 'cancelled' | 'interrupted'

interface Running {
  controller: AbortController
  abortion: Abortion | undefined
  done: Promise<void>
}

/** The longest delay of a timer in this runtime. */
const timerMsMax = 2 ** 31 - 1

/** Runs each command once, a few at a time; the others wait. A repeated command is answered from the journal. */
export class CommandRunner {
  readonly #options: RunnerOptions
  readonly #waiting = new Map<string, { command: Command; run: Run }>()
  readonly #running = new Map<string, Running>()
  /** Ended commands on their way into the journal and outbox, or waiting there for the acknowledgment. */
  readonly #handing = new Set<string>()
  #closed = false

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /** Takes over from the previous process of this agent: unacknowledged results and unfinished commands. */
  async recover(): Promise<void> {
    const { journal, platform, log } = this.#options
    for (const id of journal.idsIn('finished')) this.#hand(id, () => this.#stored(id))
    const interrupted = journal.idsIn('begun')
    await platform.endLeftovers(new Set(interrupted))
    for (const id of interrupted) {
      log.warn(`command ${id} was interrupted when the agent ended; it is not run again`, { commandId: id })
      await this.#settle(id, journal.expiryOf(id), interruption, 0)
    }
  }

  receive(command: Command): void {
    const { id } = command
    if (this.#closed || this.#waiting.has(id) || this.#handing.has(id)) return
    if (this.#running.has(id)) this.#options.outbox.progress({ commandId: id, state: 'running' })
    else if (this.#options.journal.stateOf(id) !== undefined) this.#hand(id, () => this.#stored(id))
    else this.#admit(command)
  }

  /** Answers a command that is refused; a known outcome of its ID stays. */
  refuse(id: string, error: string): void {
    const { journal, outbox } = this.#options
    const isKnown = this.#waiting.has(id) || this.#running.has(id) || this.#handing.has(id)
    if (isKnown || journal.stateOf(id) !== undefined) return
    outbox.result(
      () => ({ commandId: id, status: 'failed', error, durationMs: 0 }),
      () => undefined,
    )
  }

  cancel(id: string): void {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) {
      this.#waiting.delete(id)
      void this.#settle(id, waiting.command.expiresAt, { status: 'cancelled' }, 0)
    } else this.#abort(id, 'cancelled')
  }

  /** Accepts no more commands, ends running ones, and resolves when their results are in the outbox. Waiting commands were never started. */
  async stop(): Promise<void> {
    this.#closed = true
    this.#waiting.clear()
    const running = [...this.#running]
    for (const [id] of running) this.#abort(id, 'interrupted')
    await Promise.all(running.map(([, { done }]) => done))
  }

  #admit(command: Command): void {
    const { id, expiresAt } = command
    const prepared = this.#prepare(command)
    if (!prepared.ok) this.#refuse(command, prepared.problem)
    else if (this.#options.clock.now() > expiresAt) void this.#settle(id, expiresAt, { status: 'expired' }, 0)
    else if (this.#options.secrets.areLost(command)) this.#askForSecrets(id)
    // Not journaled: the server sends it again until it gets a result.
    else if (this.#waiting.size >= commandsWaitingMax)
      this.#options.log.warn(`too many commands wait; dropped ${id}, which the server sends again`)
    else {
      this.#waiting.set(id, { command, run: prepared.run })
      this.#startNext()
    }
  }

  /** Not journaled either: the server seals the secrets to this key and sends the command again. */
  #askForSecrets(commandId: string): void {
    const { secrets, outbox, log } = this.#options
    const { statement } = secrets
    log.info(`cannot open the secrets of ${commandId}; asks the server to send it again`, { commandId })
    if (statement !== undefined) outbox.unopened({ commandId, sealingKey: statement })
  }

  #prepare({ type, payload }: Command): Prepared {
    const { registry } = this.#options
    const kind = registry.get(type)
    if (kind === undefined) {
      const problem = `this agent does not support ${type}, only ${[...registry.keys()].join(', ')}`
      return { ok: false, problem: errorText('UNSUPPORTED_COMMAND', problem) }
    }
    const prepared = kind.prepare(payload)
    return prepared.ok ? prepared : { ok: false, problem: errorText('INVALID_PAYLOAD', prepared.problem) }
  }

  #abort(id: string, abortion: Abortion): void {
    const running = this.#running.get(id)
    if (running === undefined || running.abortion !== undefined) return
    running.abortion = abortion
    running.controller.abort()
  }

  #startNext(): void {
    for (const [id, { command, run }] of this.#waiting) {
      if (this.#running.size >= commandsAtOnce) return
      this.#waiting.delete(id)
      const running: Running = { controller: new AbortController(), abortion: undefined, done: Promise.resolve() }
      this.#running.set(id, running)
      running.done = this.#run(command, run, running).finally(() => {
        this.#running.delete(id)
        this.#startNext()
      })
    }
  }

  async #run(command: Command, run: Run, running: Running): Promise<void> {
    const { journal, outbox, clock, log } = this.#options
    const { id, type, expiresAt, timeoutMs } = command
    if (clock.now() > expiresAt) return this.#settle(id, expiresAt, { status: 'expired' }, 0)
    try {
      await journal.begin(id, expiresAt)
    } catch (error) {
      const why = errorText(
        'JOURNAL_UNAVAILABLE',
        `not run, because the journal cannot be written: ${errorMessage(error)}`,
      )
      return this.#settle(id, expiresAt, { status: 'failed', error: why }, 0)
    }
    log.info(`runs ${type} (${id})`, { commandId: id })
    outbox.progress({ commandId: id, state: 'running' })
    const startedAt = performance.now()
    const timer = setTimeout(() => this.#abort(id, 'timed_out'), Math.min(timeoutMs, timerMsMax))
    const outcome = await this.#attempt(command, run, running.controller.signal)
    clearTimeout(timer)
    const durationMs = Math.round(performance.now() - startedAt)
    const ended = running.abortion === undefined ? outcome : aborted(outcome, running.abortion)
    log.info(`${type} (${id}) ${ended.status.replace('_', ' ')} after ${durationMs} ms`, { commandId: id, durationMs })
    await this.#settle(id, expiresAt, ended, durationMs)
  }

  /** The command's own outcome. A command that does not react to its abort is given up. */
  async #attempt({ id, timeoutMs, grant, sealed }: Command, run: Run, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return { status: 'failed' }
    const { outbox } = this.#options
    const context = {
      ...{ id, timeoutMs, grant, sealed },
      signal,
      show(next: () => OutputPiece | undefined) {
        if (!outbox.keepsUp) return false
        const piece = next()
        if (piece !== undefined) outbox.progress({ commandId: id, state: 'running', ...piece })
        return piece !== undefined
      },
    }
    let timer: NodeJS.Timeout | undefined
    const giveUp = new Promise<Outcome>((resolve) => {
      signal.addEventListener('abort', () => {
        timer = setTimeout(() => resolve(givenUp), abortGraceMs)
      })
    })
    try {
      return await Promise.race([run(context), giveUp])
    } catch (error) {
      return failed(error)
    } finally {
      clearTimeout(timer)
    }
  }

  #refuse(command: Command, error: string): void {
    this.#options.log.warn(`refused ${command.type} (${command.id}): ${error}`, { commandId: command.id })
    void this.#settle(command.id, command.expiresAt, { status: 'failed', error }, 0)
  }

  /** Journals how a command ended and passes it to the outbox. On a full disk the result is still sent while the agent runs. */
  async #settle(id: string, expiresAt: number, ended: Ended, durationMs: number): Promise<void> {
    const { journal, log } = this.#options
    const result = sendableResult({ commandId: id, ...ended, durationMs })
    this.#handing.add(id)
    try {
      await journal.finish(id, expiresAt, result)
      this.#hand(id, () => this.#stored(id))
    } catch (error) {
      log.error(`cannot journal the result of ${id}: ${errorMessage(error)}`, { commandId: id })
      this.#hand(id, () => result)
    }
  }

  #hand(id: string, read: () => Result): void {
    const { journal, outbox, log } = this.#options
    this.#handing.add(id)
    outbox.result(read, () => {
      this.#handing.delete(id)
      journal
        .acknowledge(id)
        .catch((error: unknown) => log.error(`cannot journal an acknowledgment: ${errorMessage(error)}`))
    })
  }

  #stored(id: string): Result {
    let why = 'its result is no longer stored'
    try {
      const result = this.#options.journal.result(id)
      if (result !== undefined) return result
    } catch (error) {
      why = `its stored result cannot be read: ${errorMessage(error)}`
      this.#options.log.error(`cannot read the result of ${id}: ${errorMessage(error)}`)
    }
    const error = errorText('RESULT_FORGOTTEN', `it ran, but ${why}`)
    return { commandId: id, status: 'failed', error, durationMs: 0 }
  }
}

const interruption: Ended = {
  status: 'failed',
  error: errorText('INTERRUPTED', 'it was interrupted because the agent ended while it ran; it is not run again'),
}

const givenUp: Outcome = {
  status: 'failed',
  error: errorText(
    'TIMED_OUT',
    `it did not end within ${abortGraceMs / 1_000} s after its abort; the machine may still work on it`,
  ),
}

/** The output so far is kept; the status is the reason of the abort. An error that only says how a script was ended is left out. */
function aborted(outcome: Outcome, abortion: Abortion): Ended {
  const { error, status, ...produced } = outcome
  if (abortion === 'interrupted') return { ...produced, ...interruption }
  const saysMore = outcome === givenUp || (abortion === 'timed_out' && outcome.stdout === undefined)
  return { ...produced, status: abortion, ...(saysMore && { error }) }
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
