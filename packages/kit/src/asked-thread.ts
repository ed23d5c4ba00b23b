// A thread that answers questions one after the other, so that long computations do not hold up the event loop.
import { Worker } from 'node:worker_threads'

interface Limits {
  /** Questions above this number are not asked. */
  readonly waitingMax: number
  readonly answerMs: number
  /** Whether a late answer ends the thread, because it may never come. The next question starts another one. */
  readonly endsWhenLate?: boolean
  readonly heapMbMax?: number
}

interface Waiting<Answer> {
  readonly answer: (answer: Answer | 'late') => void
  readonly fail: (error: unknown) => void
}

/** Starts with the first question and does not keep the process alive. Questions and answers carry the same `id`. */
export class AskedThread<Question extends object, Answer extends { readonly id: number }> {
  readonly #file: URL
  readonly #limits: Limits
  readonly #waiting = new Map<number, Waiting<Answer>>()
  #thread: Worker | null = null
  #asked = 0

  constructor(file: URL, limits: Limits) {
    this.#file = file
    this.#limits = limits
  }

  /** Rejects if the thread fails. */
  ask(question: Question): Promise<Answer | 'busy' | 'late'> {
    const { waitingMax, answerMs } = this.#limits
    if (this.#waiting.size >= waitingMax) return Promise.resolve('busy')
    const id = ++this.#asked
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#late(id), answerMs)
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer)
          settle(value)
        }
      this.#waiting.set(id, { answer: settled(resolve), fail: settled(reject) })
      this.#started().postMessage({ ...question, id })
    })
  }

  #late(id: number): void {
    const isEnded = this.#limits.endsWhenLate === true
    for (const late of isEnded ? [...this.#waiting.keys()] : [id]) this.#answer(late, 'late')
    if (!isEnded) return
    void this.#thread?.terminate()
    this.#thread = null
  }

  #answer(id: number, answer: Answer | 'late'): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    waiting?.answer(answer)
  }

  #started(): Worker {
    if (this.#thread !== null) return this.#thread
    const { heapMbMax } = this.#limits
    const thread = new Worker(this.#file, {
      resourceLimits: heapMbMax === undefined ? {} : { maxOldGenerationSizeMb: heapMbMax },
    })
    thread.unref()
    thread.on('message', (answer: Answer) => this.#answer(answer.id, answer))
    const lost = (error: unknown) => {
      if (this.#thread !== thread) return
      this.#thread = null
      for (const { fail } of this.#waiting.values()) fail(error)
      this.#waiting.clear()
    }
    thread.on('error', lost)
    thread.on('exit', () => lost(new Error(`the thread ${this.#file.pathname} exited`)))
    this.#thread = thread
    return thread
  }
}
