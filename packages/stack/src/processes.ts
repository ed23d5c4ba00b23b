import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { z } from 'zod'
import { openLog } from './engine.ts'
import { StackError } from './failure.ts'
import { lastError } from './last-error.ts'
import { rememberProcess } from './leftovers.ts'

const Ready = z.looseObject({ ready: z.literal(true) })

const readyMs = 60_000
/** A little more than a process grants itself to drain and stop. */
const stopMs = 12_000
/** Before the second restart in a row; after the first death of a process everybody waits for it. */
const firstDelayMs = 500
const longestDelayMs = 30_000
/** A process that ran this long begins anew with short delays. */
const soundMs = 60_000
const wordsBytesMax = 64 * 1024

export interface ProcessOptions {
  readonly name: string
  /** Script to run with this very Node. */
  readonly file: string
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly logFile: string
  /** Where the process is remembered in case we are killed. */
  readonly folder: string
  /** Told of crashes and of processes that are back. */
  onNote?(line: string): void
  /** Where it answers as long as it is alive; one that does not answer any more is ended and started again. */
  readonly liveUrl?: string | undefined
  readonly liveness?: Liveness | undefined
}

/** How often a process is asked whether it lives, and how many times in a row it may fail to answer. */
export interface Liveness {
  readonly everyMs: number
  readonly failuresMax: number
}

const ordinaryLiveness: Liveness = { everyMs: 5_000, failuresMax: 6 }

/** One of Muster's processes, kept running until it is stopped. */
export class ManagedProcess {
  readonly name: string
  readonly #options: ProcessOptions
  #child: ChildProcess | undefined
  #info: Readonly<Record<string, unknown>> = {}
  #stopping = false
  #crashes = 0
  #restart: NodeJS.Timeout | undefined
  #ready: Promise<void> = Promise.resolve()

  private constructor(options: ProcessOptions) {
    this.name = options.name
    this.#options = options
  }

  /** Starts a process and waits until it says that it is ready. @throws StackError with its last words when it dies before */
  static async start(options: ProcessOptions): Promise<ManagedProcess> {
    const managed = new ManagedProcess(options)
    managed.#ready = managed.#spawn()
    try {
      await managed.#ready
    } catch (error) {
      await managed.stop()
      throw error
    }
    return managed
  }

  /** The process id of the present run. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** What the process told when it became ready, such as its ports. */
  get info(): Readonly<Record<string, unknown>> {
    return this.#info
  }

  /** Resolves when the present run, or the one that follows a crash, is ready. */
  get ready(): Promise<void> {
    return this.#ready
  }

  /** Sends a signal as an accident would: the process is brought back when it dies of it. */
  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** Asks the process to drain and end; ends it by force when it takes too long. */
  async stop(withinMs = stopMs): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#restart)
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.kill('SIGTERM')
    const overdue = setTimeout(() => child.kill('SIGKILL'), withinMs)
    await gone
    clearTimeout(overdue)
  }

  #spawn(): Promise<void> {
    const { name, file, args = [], env, logFile, folder } = this.#options
    const log = openLog(logFile)
    const logFrom = statSync(logFile).size
    // A group of its own: a Ctrl-C at the terminal reaches it only through us, in our order.
    const child = spawn(process.execPath, [file, ...args], {
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      env,
    })
    closeSync(log)
    this.#child = child
    if (child.pid) rememberProcess(folder, child.pid)
    const startedAt = Date.now()
    return new Promise((resolve, reject) => {
      let up = false
      const overdue = setTimeout(() => child.kill('SIGKILL'), readyMs)
      child.on('message', (message) => {
        const said = Ready.safeParse(message)
        if (!said.success) return
        up = true
        clearTimeout(overdue)
        this.#info = said.data
        this.#watch(child)
        resolve()
      })
      child.on('error', (error) => reject(new StackError(`${name} cannot be started: ${error.message}`)))
      child.on('exit', (code, signal) => {
        clearTimeout(overdue)
        const how = Date.now() - startedAt >= readyMs && !up ? 'not ready in time' : (signal ?? `exit code ${code}`)
        const reason = lastError(textFrom(logFile, logFrom)) ?? how
        if (!up) reject(new StackError(`${name} does not start: ${reason}`))
        else if (!this.#stopping) this.#recover(how, Date.now() - startedAt)
      })
    })
  }

  /** Asks a process whether it lives until it ends. Each try has its own time, so that a pause of ours counts as none of its. */
  #watch(child: ChildProcess): void {
    const { liveUrl, liveness = ordinaryLiveness } = this.#options
    if (liveUrl === undefined) return
    let failures = 0
    const ask = async () => {
      const isAlive = await fetch(liveUrl, { signal: AbortSignal.timeout(liveness.everyMs) }).then(
        ({ ok, body }) => body?.cancel().then(() => ok) ?? ok,
        () => false,
      )
      failures = isAlive ? 0 : failures + 1
      if (failures < liveness.failuresMax) return again()
      this.#options.onNote?.(`${this.name} does not answer; ending it`)
      child.kill('SIGKILL')
    }
    const again = () => {
      timer = setTimeout(() => void ask(), liveness.everyMs)
      timer.unref()
    }
    let timer: NodeJS.Timeout | undefined
    child.once('exit', () => {
      failures = Number.NEGATIVE_INFINITY
      clearTimeout(timer)
    })
    again()
  }

  #recover(how: string, ranMs: number): void {
    if (ranMs >= soundMs) this.#crashes = 0
    const delayMs = this.#crashes === 0 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (this.#crashes - 1))
    this.#crashes++
    this.#options.onNote?.(
      `${this.name} died (${how}); starting it again ${delayMs === 0 ? 'at once' : `in ${delayMs / 1000} s`}`,
    )
    this.#ready = new Promise((resolve) => {
      this.#restart = setTimeout(() => {
        const attempt = this.#spawn()
        attempt.then(
          () => {
            this.#options.onNote?.(`${this.name} is back`)
            resolve()
          },
          (error: Error) => {
            if (this.#stopping) return resolve()
            this.#recover(error.message, 0)
            resolve(this.#ready)
          },
        )
      }, delayMs)
    })
  }
}

// What the present run logged, but at most its end.
function textFrom(path: string, from: number): string {
  const file = openSync(path, 'r')
  try {
    const { size } = statSync(path)
    const start = Math.max(size < from ? 0 : from, size - wordsBytesMax)
    const bytes = Buffer.alloc(size - start)
    readSync(file, bytes, 0, bytes.length, start)
    return bytes.toString()
  } finally {
    closeSync(file)
  }
}
