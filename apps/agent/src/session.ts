import type { IncomingMessage } from 'node:http'
import { closeCodeOf, closeCodes } from '@muster/wire/close-codes.ts'
import { type DownMessage, decodeDown } from '@muster/wire/down.ts'
import { WireError } from '@muster/wire/frame.ts'
import { frameBytesMax } from '@muster/wire/limits.ts'
import type { Challenge } from '@muster/wire/messages/challenge.ts'
import type { Refusal } from '@muster/wire/messages/error.ts'
import type { Ticket } from '@muster/wire/messages/ticket.ts'
import type { Welcome } from '@muster/wire/messages/welcome.ts'
import { resumptionProof } from '@muster/wire/resumption.ts'
import { encodeUp } from '@muster/wire/up.ts'
import { protocolVersion, subprotocol } from '@muster/wire/version.ts'
import { retryAfterMs } from './backoff.ts'
import { handshakeTimeoutMs, welcomeTimeoutMs } from './limits.ts'
import { Liveness } from './liveness.ts'
import type { Log } from './log.ts'
import type { Link } from './outbox.ts'
import { agentFor } from './proxy.ts'
import type { Ending } from './retry.ts'
import { WebSocket } from './websocket.ts'

export interface SessionPeer {
  url: string
  certificate: string
  prove(nonce: Uint8Array): Uint8Array
  bootId: number
  agentVersion: string
  /** Whether another part of the same machine's agent has its own connection. */
  role?: 'agent' | 'watchdog'
  /** The ticket that replaces the certificate on a server with ticket support. */
  ticket?: Ticket | undefined
  /** Number of the trusted statement of order keys. */
  orderKeys?: number | undefined
  /** What the agent can do. */
  capabilities?: string | undefined
  /** Revision of the newest assignment that the agent follows; undefined for one that takes none. */
  assignmentRevision?: number | undefined
  /** The key to which secrets are sealed; undefined for a process that runs no scripts. */
  sealingKey?: string | undefined
}

export interface SessionEvents {
  /** The server closed the connection over the frame with this sequence. */
  refused(sequence: number): void
  /** The server rejected the ticket. */
  unresumed(): void
  welcome(welcome: Welcome, session: Session): void
  message(message: DownMessage): void
}

type State = 'opening' | 'resuming' | 'proving' | 'welcomed' | 'ended'

const closedNormally = 1000
const frameFaults = new Set<number>([closeCodes.malformed.code, closeCodes.unknownType.code, closeCodes.tooLarge.code])

/** One socket from its opening to its end. It proves the agent's identity, then carries frames; it keeps nothing. */
export class Session implements Link {
  readonly ended: Promise<Ending>
  readonly #socket: WebSocket
  readonly #peer: SessionPeer
  readonly #events: SessionEvents
  readonly #log: Log
  readonly #liveness: Liveness
  readonly #welcomeTimer: NodeJS.Timeout
  #state: State = 'opening'
  #welcomedAt = 0
  #ending: Pick<Ending, 'hintMs' | 'retryAfterMs'> = { hintMs: undefined, retryAfterMs: undefined }
  /** The frame of the server's last error message, 0 for none. */
  #blamed = 0
  /** The most specific reason so far why this session will end. */
  #why = ''

  constructor(peer: SessionPeer, events: SessionEvents, log: Log) {
    this.#peer = peer
    this.#events = events
    this.#log = log
    this.#socket = new WebSocket(peer.url, subprotocol, {
      perMessageDeflate: false,
      maxPayload: frameBytesMax,
      handshakeTimeout: handshakeTimeoutMs,
      followRedirects: false,
      agent: agentFor(peer.url),
    })
    this.#liveness = new Liveness({
      probe: () => this.#socket.ping(),
      lost: () => this.#abandon('the server stopped answering'),
    })
    this.#welcomeTimer = setTimeout(
      () => this.#abandon('the server did not welcome the agent in time'),
      welcomeTimeoutMs,
    )
    this.ended = this.#listen()
  }

  get backlogBytes(): number {
    return this.#socket.bufferedAmount
  }

  send(frame: Uint8Array): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    this.#socket.send(frame, { binary: true })
    this.#liveness.expectAnswer()
  }

  /** Sends a frame without an acknowledgment. */
  tell(frame: Uint8Array): void {
    if (this.#state === 'welcomed' && this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(frame, { binary: true })
  }

  /** Starts the closing handshake. */
  close(reason: string): void {
    this.#why ||= reason
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#socket.terminate()
    else this.#socket.close(closedNormally, reason)
  }

  /** Ends the session without waiting for the server. */
  terminate(): void {
    this.#socket.terminate()
  }

  #listen(): Promise<Ending> {
    const socket = this.#socket
    return new Promise((resolve) => {
      socket.on('message', (data, isBinary) => {
        this.#liveness.received()
        if (isBinary && data instanceof Uint8Array) this.#receive(data)
      })
      socket.on('ping', () => this.#liveness.received())
      socket.on('pong', () => this.#liveness.received())
      socket.on('error', (error) => {
        this.#why ||= error.message || error.name
      })
      socket.on('unexpected-response', (_request, response) => this.#refused(response))
      socket.on('close', (code, reason) => {
        clearTimeout(this.#welcomeTimer)
        this.#liveness.stop()
        if (this.#blamed > 0 && frameFaults.has(code)) this.#events.refused(this.#blamed)
        if (this.#state === 'resuming') this.#events.unresumed()
        const welcomed = this.#state === 'welcomed'
        this.#state = 'ended'
        const lastedMs = welcomed ? performance.now() - this.#welcomedAt : 0
        resolve({ welcomed, lastedMs, code, reason: this.#reason(code, reason.toString()), ...this.#ending })
      })
    })
  }

  #refused(response: IncomingMessage): void {
    this.#ending.retryAfterMs = retryAfterMs(response.headers['retry-after'], Date.now())
    this.#abandon(`the server answered ${response.statusCode ?? 'without a status'}`)
  }

  #abandon(why: string): void {
    this.#why ||= why
    this.#socket.terminate()
  }

  #receive(bytes: Uint8Array): void {
    try {
      this.#handle(decodeDown(bytes))
    } catch (error) {
      // A newer server may send messages that this agent cannot decode: they do not end the connection.
      if (!(error instanceof WireError)) throw error
      this.#log.warn(`ignored a message of the server: ${error.message}`)
    }
  }

  #handle(message: DownMessage): void {
    if (message.name === 'retry') this.#ending.hintMs = message.body.afterMs
    else if (message.name === 'error') this.#complaint(message.sequence, message.body)
    else if (message.name === 'challenge') this.#answer(message.body)
    else if (message.name === 'welcome') this.#begin(message.body)
    else if (this.#state === 'welcomed') this.#events.message(message)
  }

  #complaint(sequence: number, { code, message }: Refusal): void {
    this.#blamed = sequence
    // Before the welcome it says why the socket will be closed; later it may be about a single frame.
    if (this.#state === 'welcomed') this.#log.warn(`the server reports an error: ${code}: ${message}`)
    else this.#why = `${code}: ${message}`
  }

  #answer({ nonce, protocols, tickets }: Challenge): void {
    const isFirst = this.#state === 'opening'
    // A second challenge means that the ticket was rejected.
    if (this.#state === 'resuming') this.#events.unresumed()
    else if (!isFirst) return
    if (!protocols.includes(protocolVersion)) {
      this.#abandon(
        `the server supports protocol ${protocols.join(', ')}, this agent ${protocolVersion}: update the agent`,
      )
      return
    }
    const keepsTickets = tickets === true
    const { ticket } = this.#peer
    if (isFirst && keepsTickets && ticket !== undefined) this.#resume(nonce, ticket)
    else this.#introduce(nonce, keepsTickets)
  }

  #resume(nonce: Uint8Array, { ticket, secret }: Ticket): void {
    this.#state = 'resuming'
    const said = { ...this.#facts, ticket }
    const body = { ...said, proof: resumptionProof(secret, nonce, said) }
    this.send(encodeUp({ name: 'resume', sequence: 0, body }))
  }

  #introduce(nonce: Uint8Array, keepsTickets: boolean): void {
    const { certificate } = this.#peer
    const signature = this.#peer.prove(nonce)
    this.#state = 'proving'
    const said = { ...this.#facts, certificate, signature }
    // A server without ticket support gets no ticket fields.
    const body = keepsTickets ? { ...said, tickets: true } : said
    this.send(encodeUp({ name: 'hello', sequence: 0, body }))
  }

  /** The fields that `hello` and `resume` share. */
  get #facts() {
    const { bootId, agentVersion, role = 'agent', orderKeys, capabilities, assignmentRevision, sealingKey } = this.#peer
    const known = { orderKeys, capabilities, assignmentRevision, sealingKey }
    return { protocol: protocolVersion, bootId, agentVersion, role, ...known }
  }

  #begin(welcome: Welcome): void {
    if (this.#state !== 'proving' && this.#state !== 'resuming') return
    clearTimeout(this.#welcomeTimer)
    this.#state = 'welcomed'
    this.#welcomedAt = performance.now()
    this.#events.welcome(welcome, this)
  }

  #reason(code: number, given: string): string {
    const known = closeCodeOf(code)
    if (known !== undefined) return `${known.name}: ${this.#why || known.meaning.replace(/\.$/, '')}`
    return this.#why || given || (code === 1006 ? 'the connection broke off' : `closed with code ${code}`)
  }
}
