import { WireError } from '@muster/wire/frame.ts'
import type { Reply } from '@muster/wire/messages/reply.ts'
import type { Request } from '@muster/wire/messages/request.ts'
import { encodeUp } from '@muster/wire/up.ts'
import { requestsAtOnce, requestsRemembered, requestsWaitingMax } from '../limits.ts'
import type { Log } from '../log.ts'
import { type CommandKind, errorText, failed, type Outcome } from './command.ts'

export interface RequestsOptions {
  registry: ReadonlyMap<string, CommandKind>
  /** Sends a frame on the current connection, if there is one. */
  send: (frame: Uint8Array) => void
  log: Log
}

interface Waiting {
  number: number
  request: Request
}

/** Answers requests whose requester waits, a few at a time. Nothing is stored: a lost reply is requested again. */
export class Requests {
  readonly #options: RequestsOptions
  readonly #waiting: Waiting[] = []
  /** Recent request numbers: a repeated request runs once. */
  readonly #seen = new Set<number>()
  #running = 0

  constructor(options: RequestsOptions) {
    this.#options = options
  }

  receive(number: number, request: Request): void {
    if (this.#seen.has(number)) return
    this.#seen.add(number)
    const [oldest] = this.#seen
    if (this.#seen.size > requestsRemembered && oldest !== undefined) this.#seen.delete(oldest)
    if (this.#waiting.length >= requestsWaitingMax) {
      this.#answer(number, {
        status: 'failed',
        error: errorText('BUSY', 'too many requests wait on this agent; retry later'),
      })
      return
    }
    this.#waiting.push({ number, request })
    this.#startNext()
  }

  /** Answers a request that is refused. */
  refuse(number: number, error: string): void {
    this.#answer(number, { status: 'failed', error })
  }

  #startNext(): void {
    while (this.#running < requestsAtOnce) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#running++
      void this.#run(next).finally(() => {
        this.#running--
        this.#startNext()
      })
    }
  }

  async #run({ number, request }: Waiting): Promise<void> {
    const { status, result, error, data } = await this.#attempt(number, request)
    this.#answer(number, { status, result, error, data })
  }

  async #attempt(number: number, { type, payload, timeoutMs, data }: Request): Promise<Outcome> {
    const kind = this.#options.registry.get(type)
    if (kind === undefined)
      return { status: 'failed', error: errorText('UNSUPPORTED_COMMAND', `this agent does not support ${type}`) }
    const prepared = kind.prepare(payload)
    if (!prepared.ok) return { status: 'failed', error: errorText('INVALID_PAYLOAD', prepared.problem) }
    const over = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => {
        over.abort()
        resolve({ status: 'failed', error: errorText('TIMED_OUT', `${type} took longer than ${timeoutMs} ms`) })
      }, timeoutMs)
    })
    try {
      const run = prepared.run({ id: String(number), timeoutMs, signal: over.signal, data, show: () => false })
      return await Promise.race([run, late])
    } catch (error) {
      return failed(error)
    } finally {
      clearTimeout(timer)
    }
  }

  #answer(number: number, body: Reply): void {
    const { send, log } = this.#options
    try {
      send(encodeUp({ name: 'reply', sequence: number, body }))
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      log.warn(`a reply exceeds the maximum message size: ${error.message}`)
      const tooLarge: Reply = {
        status: 'failed',
        error: errorText('TOO_LARGE', 'the reply exceeds the maximum message size'),
      }
      send(encodeUp({ name: 'reply', sequence: number, body: tooLarge }))
    }
  }
}
