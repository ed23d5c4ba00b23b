import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { z } from 'zod'
import { openLog } from './engine.ts'
import { StackError } from './failure.ts'
import { lastError } from './last-error.ts'
import { rememberProcess } from './leftovers.ts'

const Ready = z.looseObject({ ready: z.literal(true) })

const readyMs = 60_000
/** Slightly more than a process's own limit for drain and stop. */
const stopMs = 12_000
/** Delay before the second consecutive restart. The first is immediate, because other processes wait for it. */
const firstDelayMs = 500
const longestDelayMs = 30_000
/** A process that ran this long restarts with short delays again. */
const soundMs = 60_000
const wordsBytesMax = 64 * 1024

export interface ProcessOptions {
  readonly name: string
  /** Script to run with the current Node. */
  readonly file: string
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly logFile: string
  /** Where the process is recorded in case this one is killed. */
  readonly folder: string
  /** Called about crashes and restarts. */
  onNote?(line: string): void
  /** Its health endpoint. A process that stops answering is killed and restarted. */
  readonly liveUrl?: string | undefined
  readonly liveness?: Liveness | undefined
}

/** The interval of health checks, and how many consecutive ones may fail. */
export interface Liveness {
  readonly everyMs: number
  readonly failuresMax: number
}

const ordinaryLiveness: Liveness = { everyMs: 5_000, failuresMax: 6 }

/** One of Muster's processes, restarted until it is stopped. */
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

  /** Starts a process and waits until it is ready. @throws StackError with its last error when it ends before */
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

  /** The PID of the current run. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** The process's message at readiness, such as its ports. */
  get info(): Readonly<Record<string, unknown>> {
    return this.#info
  }

  /** Resolves when the current run, or the one after a crash, is ready. */
  get ready(): Promise<void> {
    return this.#ready
  }

  /** Sends a signal, as a fault would: the process is restarted if it dies. */
  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** Asks the process to drain and end; kills it after a timeout. */
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
    // Its own process group: Ctrl-C at the terminal reaches it only through this process, in order.
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

  /** Checks the health of a process until it ends. Each check has its own timeout, so a pause of this process does not count. */
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
      this.#options.onNote?.(`${this.name} does not answer; killing it`)
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
      `${this.name} died (${how}); restarting it ${delayMs === 0 ? 'now' : `in ${delayMs / 1000} s`}`,
    )
    this.#ready = new Promise((resolve) => {
      this.#restart = setTimeout(() => {
        const attempt = this.#spawn()
        attempt.then(
          () => {
            this.#options.onNote?.(`${this.name} is running again`)
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

// The log of the current run, limited to its end.
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
