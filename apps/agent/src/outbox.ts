import type { Heartbeat } from '@muster/wire/messages/heartbeat.ts'
import type { Inventory } from '@muster/wire/messages/inventory.ts'
import type { CheckObservations, FactObservations } from '@muster/wire/messages/observations.ts'
import type { Progress } from '@muster/wire/messages/progress.ts'
import type { OrderRefusal } from '@muster/wire/messages/refusal.ts'
import type { Result } from '@muster/wire/messages/result.ts'
import type { Unopened } from '@muster/wire/messages/unopened.ts'
import type { UpdateStatus } from '@muster/wire/messages/update-status.ts'
import type { WatchdogStatus } from '@muster/wire/messages/watchdog-status.ts'
import { encodeUp, type UpMessage } from '@muster/wire/up.ts'
import { Allowance } from './allowance.ts'
import {
  heartbeatAgeMaxMs,
  outboxBytesMax,
  outboxFramesMax,
  resendAfterMs,
  sendingRates,
  socketBacklogBytesMax,
} from './limits.ts'

/** The sink for frames during a connection. */
export interface Link {
  send(frame: Uint8Array): void
  /** Bytes that the socket has buffered and not sent yet. */
  readonly backlogBytes: number
}

type Kind =
  | 'heartbeat'
  | 'progress'
  | 'observations'
  | 'facts'
  | 'watchdogKey'
  | 'watchdogStatus'
  | 'updateStatus'
  | 'refusal'
  | 'unopened'
  | 'inventory'
  | 'result'

interface Waiting {
  kind: Kind
  sequence: number
  /** Results stay on disk until they are sent, so that any number of them can wait. */
  encode: () => Uint8Array
  bytes: number
  addedAt: number
  sentOn: Link | undefined
  sentAt: number
  sends: number
  acknowledged: () => void
}

/** The order in which frames are dropped when there is no room. Results are not listed: they are never dropped. */
const dropOrder: readonly Kind[] = [
  'heartbeat',
  'progress',
  'observations',
  'facts',
  'watchdogKey',
  'watchdogStatus',
  'refusal',
  'unopened',
  'updateStatus',
  'inventory',
]
const pumpMs = 100
const resendBackoffMax = 16

/**
 * Frames that the server has not acknowledged, in the order of their sequence numbers. They are sent once per connection,
 * oldest first, and again on the same connection when no acknowledgment arrives.
 */
export class Outbox {
  readonly #waiting = new Map<number, Waiting>()
  readonly #allowance: Allowance
  readonly #now: () => number
  /** Bytes of waiting frames that may be dropped. */
  #bytes = 0
  #frames = 0
  #sequence = 0
  #link: Link | undefined
  #timer: NodeJS.Timeout | undefined
  #dropped = 0
  #emptied: (() => void)[] = []

  constructor(now: () => number = performance.now.bind(performance)) {
    this.#now = now
    this.#allowance = new Allowance(sendingRates, now)
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Frames dropped for lack of room since the start. */
  get dropped(): number {
    return this.#dropped
  }

  /** Whether a frame of low priority would be sent at once. */
  get keepsUp(): boolean {
    if (this.#link === undefined || !this.#allowance.isAmple) return false
    for (const frame of this.#waiting.values()) if (frame.sentOn !== this.#link) return false
    return true
  }

  heartbeat(body: Heartbeat, acknowledged?: () => void): void {
    this.#add('heartbeat', (sequence) => ({ name: 'heartbeat', sequence, body }), acknowledged)
  }

  progress(body: Progress): void {
    this.#add('progress', (sequence) => ({ name: 'progress', sequence, body }))
  }

  updateStatus(body: UpdateStatus, acknowledged?: () => void): void {
    this.#add('updateStatus', (sequence) => ({ name: 'updateStatus', sequence, body }), acknowledged)
  }

  observations(body: CheckObservations): void {
    this.#add('observations', (sequence) => ({ name: 'observations', sequence, body }))
  }

  /** Newer ones replace those that still wait: they include everything that the server does not know. */
  facts(body: FactObservations, acknowledged: () => void): void {
    for (const frame of this.#waiting.values()) if (frame.kind === 'facts') this.#remove(frame.sequence)
    this.#add('facts', (sequence) => ({ name: 'observations', sequence, body }), acknowledged)
  }

  refusal(body: OrderRefusal): void {
    this.#add('refusal', (sequence) => ({ name: 'refusal', sequence, body }))
  }

  /** Asks for a command again; the server repeats it anyway. */
  unopened(body: Unopened): void {
    this.#add('unopened', (sequence) => ({ name: 'unopened', sequence, body }))
  }

  /** Requests the watchdog's certificate; requested again rather than kept when it has to make room. */
  watchdogKey(publicKey: string): void {
    this.#add('watchdogKey', (sequence) => ({ name: 'watchdogKey', sequence, body: { publicKey } }))
  }

  /** A newer watchdog status replaces one that still waits. */
  watchdogStatus(body: WatchdogStatus): void {
    for (const frame of this.#waiting.values()) if (frame.kind === 'watchdogStatus') this.#remove(frame.sequence)
    this.#add('watchdogStatus', (sequence) => ({ name: 'watchdogStatus', sequence, body }))
  }

  /** A newer inventory replaces one that still waits. */
  inventory(body: Inventory, acknowledged: () => void): void {
    for (const frame of this.#waiting.values()) if (frame.kind === 'inventory') this.#remove(frame.sequence)
    this.#add('inventory', (sequence) => ({ name: 'inventory', sequence, body }), acknowledged)
  }

  result(read: () => Result, acknowledged: () => void): void {
    const sequence = ++this.#sequence
    const encode = () => encodeUp({ name: 'result', sequence, body: read() })
    this.#put({ kind: 'result', sequence, encode, bytes: 0, acknowledged })
  }

  acknowledge(sequence: number): void {
    const frame = this.#remove(sequence)
    if (frame === undefined) return
    frame.acknowledged()
    if (this.#waiting.size > 0) return
    for (const resolve of this.#emptied.splice(0)) resolve()
  }

  /** The server rejects this frame for good: sending it again would break the next connection too. */
  refused(sequence: number): boolean {
    return this.#remove(sequence) !== undefined
  }

  /** Resolves when nothing waits any more. */
  whenEmpty(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#emptied.push(resolve))
  }

  /** Called on a new connection: sends everything that waits. */
  attach(link: Link): void {
    this.#link = link
    const oldest = this.#now() - heartbeatAgeMaxMs
    for (const frame of this.#waiting.values())
      if (frame.kind === 'heartbeat' && frame.addedAt < oldest) this.#remove(frame.sequence)
    this.#pump()
  }

  detach(): void {
    this.#link = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #add(kind: Kind, message: (sequence: number) => UpMessage, acknowledged: () => void = () => {}): void {
    const sequence = ++this.#sequence
    const frame = encodeUp(message(sequence))
    this.#put({ kind, sequence, encode: () => frame, bytes: frame.length, acknowledged })
  }

  #put(frame: Omit<Waiting, 'addedAt' | 'sentOn' | 'sentAt' | 'sends'>): void {
    this.#waiting.set(frame.sequence, { ...frame, addedAt: this.#now(), sentOn: undefined, sentAt: 0, sends: 0 })
    if (frame.kind !== 'result') {
      this.#bytes += frame.bytes
      this.#frames++
    }
    this.#makeRoom()
    this.#pump()
  }

  #remove(sequence: number): Waiting | undefined {
    const frame = this.#waiting.get(sequence)
    if (frame === undefined) return undefined
    this.#waiting.delete(sequence)
    if (frame.kind !== 'result') {
      this.#bytes -= frame.bytes
      this.#frames--
    }
    return frame
  }

  #makeRoom(): void {
    for (const kind of dropOrder) {
      for (const frame of this.#waiting.values()) {
        if (this.#bytes <= outboxBytesMax && this.#frames <= outboxFramesMax) return
        if (frame.kind !== kind) continue
        this.#remove(frame.sequence)
        this.#dropped++
      }
    }
  }

  #pump(): void {
    const link = this.#link
    if (link === undefined) return
    const now = this.#now()
    let nextMs: number | undefined
    for (const frame of this.#waiting.values()) {
      if (frame.sentOn === link) {
        const dueMs = frame.sentAt + resendAfterMs * Math.min(2 ** (frame.sends - 1), resendBackoffMax) - now
        if (dueMs > 0) {
          nextMs = Math.min(nextMs ?? dueMs, dueMs)
          continue
        }
      }
      if (!this.#send(frame, link, now)) {
        nextMs = pumpMs
        break
      }
      nextMs = Math.min(nextMs ?? resendAfterMs, resendAfterMs)
    }
    clearTimeout(this.#timer)
    this.#timer = nextMs === undefined ? undefined : setTimeout(() => this.#pump(), Math.max(nextMs, pumpMs))
  }

  /** False when the frame has to wait for room. */
  #send(frame: Waiting, link: Link, now: number): boolean {
    if (link.backlogBytes > socketBacklogBytesMax) return false
    const bytes = frame.encode()
    if (!this.#allowance.take(bytes.length)) return false
    frame.sends = frame.sentOn === link ? frame.sends + 1 : 1
    frame.sentOn = link
    frame.sentAt = now
    link.send(bytes)
    return true
  }
}
