import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { unavailable } from '@muster/kit/errors.ts'
import { service } from '../../../services.ts'
import type { HashParameters, HashResult, HashTask } from './hash.worker.ts'

const parameters: HashParameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** The number of concurrent sign-ins. A core verifies about 60 a second, so the longest wait is about half a second per core. */
const concurrentMax = 48

interface Waiting {
  readonly task: HashTask
  readonly answer: (result: HashResult) => void
  readonly fail: (error: unknown) => void
}

/** Argon2id hashing on low-priority worker threads, one per core at most. */
export class Passwords {
  readonly #most = availableParallelism()
  readonly #idle: Worker[] = []
  readonly #busy = new Map<Worker, Waiting>()
  readonly #waiting: Waiting[] = []
  #tasks = 0
  #running = 0
  /** Verified when there is no hash, so that an unknown email takes as long as a known one. */
  #decoy: Promise<string> | undefined

  async hash(password: string): Promise<string> {
    const { hash } = await this.#run(password, null)
    if (hash === undefined) throw new Error('the worker thread returned no hash')
    return hash
  }

  /** @param stored null when there is no such user or the user has no password */
  async verify(stored: string | null, password: string): Promise<boolean> {
    this.#decoy ??= this.hash('no account has this password')
    const decoy = await this.#decoy
    const { matches = false } = await this.#run(password, stored ?? decoy)
    return stored !== null && matches
  }

  /**
   * Runs work that verifies a password, unless too many such calls are running. Then it fails before it costs time.
   * @throws UNAVAILABLE
   */
  async withinCapacity<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= concurrentMax) throw unavailable('Too many sign-ins at once', 1)
    this.#running += 1
    try {
      return await work()
    } finally {
      this.#running -= 1
    }
  }

  /** Whether the hash was made with other parameters than the current ones. */
  isOutdated(stored: string): boolean {
    const { memoryCost, timeCost, parallelism } = parameters
    return !stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`)
  }

  async #run(password: string, stored: string | null): Promise<HashResult> {
    const task = { id: ++this.#tasks, password, stored, parameters }
    const result = await new Promise<HashResult>((answer, fail) => {
      this.#waiting.push({ task, answer, fail })
      this.#next()
    })
    // A stored text that is no valid hash matches no password.
    if (result.failed !== undefined && stored === null) throw new Error(result.failed)
    return result
  }

  #next(): void {
    const worker = this.#idle.pop() ?? (this.#busy.size < this.#most ? this.#start() : undefined)
    if (worker === undefined) return
    const waiting = this.#waiting.shift()
    if (waiting === undefined) {
      this.#idle.push(worker)
      return
    }
    this.#busy.set(worker, waiting)
    worker.postMessage(waiting.task)
  }

  #start(): Worker {
    const worker = new Worker(new URL('./hash.worker.ts', import.meta.url))
    worker.unref()
    const release = () => {
      const waiting = this.#busy.get(worker)
      this.#busy.delete(worker)
      return waiting
    }
    worker.on('message', (result: HashResult) => {
      const waiting = release()
      this.#idle.push(worker)
      this.#next()
      waiting?.answer(result)
    })
    const lost = (error: unknown) => {
      const at = this.#idle.indexOf(worker)
      if (at >= 0) this.#idle.splice(at, 1)
      release()?.fail(error)
      this.#next()
    }
    worker.on('error', lost)
    worker.on('exit', () => lost(new Error('a password hashing thread exited')))
    return worker
  }
}

export const passwordsOf = service(() => new Passwords())
