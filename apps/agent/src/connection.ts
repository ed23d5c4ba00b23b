import type { DownMessage } from '@muster/wire/down.ts'
import type { Ticket } from '@muster/wire/messages/ticket.ts'
import type { Welcome } from '@muster/wire/messages/welcome.ts'
import { formatDuration, type Random } from './backoff.ts'
import type { Log } from './log.ts'
import type { Outbox } from './outbox.ts'
import { pause } from './pause.ts'
import { type Ending, nextAfter, outageAfter } from './retry.ts'
import { Session, type SessionPeer } from './session.ts'

export interface ConnectionOptions {
  /** Called before each attempt: the certificate may have been renewed. */
  peer: () => SessionPeer
  outbox: Outbox
  log: Log
  random?: Random
  welcome(welcome: Welcome): void
  message(message: DownMessage): void
  /** Called when the connection ended; returns true to reconnect at once, with renewed credentials. */
  ended(ending: Ending): Promise<boolean>
}

/** Keeps one session open for as long as the agent runs. */
export class Connection {
  readonly #options: ConnectionOptions
  #session: Session | undefined
  /** The newest ticket and its certificate. Held in memory only: a new process signs. */
  #kept: { ticket: Ticket; certificate: string } | undefined
  #closing = false

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Reconnects until closed. Resolves with the ending after which the server accepts no more attempts. */
  async run(signal: AbortSignal): Promise<Ending | undefined> {
    const { log, random } = this.#options
    for (let outageMs = 0, endedAt = performance.now(); !this.#closing; ) {
      const ending = await this.#hold()
      if (this.#closing) return undefined
      const now = performance.now()
      outageMs = outageAfter(ending, outageMs, now - endedAt)
      endedAt = now
      const again = await this.#options.ended(ending)
      const next = nextAfter(ending, outageMs, random)
      const what = ending.welcomed ? 'disconnected' : 'cannot connect'
      if (again) continue
      if (next.kind === 'stop') return ending
      log.warn(`${what}: ${ending.reason}; next try in ${formatDuration(next.delayMs)}`, {
        code: ending.code,
        retryMs: next.delayMs,
      })
      await pause(next.delayMs, signal).catch(() => undefined)
    }
    return undefined
  }

  /** Closes the connection and does not reconnect. */
  close(reason: string): void {
    this.#closing = true
    this.#session?.close(reason)
  }

  /** Closes the current connection; another one follows. */
  renew(reason: string): void {
    this.#session?.close(reason)
  }

  /** For a closing connection whose server does not answer. */
  terminate(): void {
    this.#session?.terminate()
  }

  /** Sends a frame that is useless later: dropped without a connection. */
  tell(frame: Uint8Array): void {
    this.#session?.tell(frame)
  }

  async #hold(): Promise<Ending> {
    const { outbox, log } = this.#options
    const peer = this.#options.peer()
    const { certificate } = peer
    const ticket = this.#kept?.certificate === certificate ? this.#kept.ticket : undefined
    const session = new Session(
      { ...peer, ticket },
      {
        unresumed: () => {
          this.#kept = undefined
        },
        welcome: (welcome, welcomed) => {
          this.#options.welcome(welcome)
          outbox.attach(welcomed)
        },
        refused: (sequence) => {
          if (outbox.refused(sequence)) log.error(`dropped frame ${sequence}, which the server rejected`)
        },
        message: (message) => {
          if (message.name === 'ack') outbox.acknowledge(message.sequence)
          else if (message.name === 'ticket') this.#kept = { ticket: copyOf(message.body), certificate }
          else this.#options.message(message)
        },
      },
      log,
    )
    this.#session = session
    const ending = await session.ended
    this.#session = undefined
    outbox.detach()
    return ending
  }
}

/** Copies the bytes, because in a message they are a view of a larger buffer. */
function copyOf({ ticket, secret }: Ticket): Ticket {
  return { ticket: Uint8Array.from(ticket), secret: Uint8Array.from(secret) }
}
