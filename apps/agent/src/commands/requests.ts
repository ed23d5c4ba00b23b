import { WireError } from '@muster/wire/frame.ts'
import type { Reply } from '@muster/wire/messages/reply.ts'
import type { Request } from '@muster/wire/messages/request.ts'
import { encodeUp } from '@muster/wire/up.ts'
import { requestsAtOnce, requestsRemembered, requestsWaitingMax } from '../limits.ts'
import type { Log } from '../log.ts'
import { type CommandKind, errorText, failed, type Outcome } from './command.ts'

export interface RequestsOptions {
  registry: ReadonlyMap<string, CommandKind>
  /** Hands a frame to the connection that stands, if one does. */
  send: (frame: Uint8Array) => void
  log: Log
}

interface Waiting {
  number: number
  request: Request
}

/** Answers what somebody waits for, a few at a time. Nothing is written down: a reply that gets lost is asked for again. */
export class Requests {
  readonly #options: RequestsOptions
  readonly #waiting: Waiting[] = []
  /** Numbers that were seen lately: what comes twice is done once. */
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
      this.#answer(number, { status: 'failed', error: errorText('BUSY', 'the agent has too much to do') })
      return
    }
    this.#waiting.push({ number, request })
    this.#startNext()
  }

  /** Answers a request that must not be obeyed. */
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
      return { status: 'failed', error: errorText('UNSUPPORTED_COMMAND', `this agent does not know ${type}`) }
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
      const run = prepared.run({ id: String(number), signal: over.signal, data, show: () => false })
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
      log.warn(`an answer does not fit into a message: ${error.message}`)
      const tooLarge: Reply = {
        status: 'failed',
        error: errorText('TOO_LARGE', 'the answer does not fit into a message'),
      }
      send(encodeUp({ name: 'reply', sequence: number, body: tooLarge }))
    }
  }
}
