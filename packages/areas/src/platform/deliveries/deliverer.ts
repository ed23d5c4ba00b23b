import { setTimeout as pause } from 'node:timers/promises'
import type { Service } from '@muster/kit/service.ts'
import type { Delivery, DeliveryKind, SendResult } from '../../background/delivery-kind.ts'
import type { WorkerParts } from '../../background/worker-parts.ts'
import { type Claimed, claimDue, isAnyDue, type Room } from './claim.ts'
import { expireDeliveries } from './expiry.jobs.ts'
import { settle, type Tried } from './settle.ts'
import { onQueued } from './wake.ts'

/** Deliveries that one worker tries at once: to endpoints that answer, and to endpoints whose last try failed. */
const healthyMax = 256
const failingMax = 64
/** Of these, what one partner may take. */
const perPartnerMax = 128
/** Between two looks while there are deliveries, and after a while without. */
const pollMs = 200
const quietPollMs = 500
const quietAfterMs = 5_000
/** After a change, so that several are handled together. */
const gatherMs = 10
/** Longer than the slowest try, so that a delivery is taken over only from a worker that ended. */
const leaseMarginMs = 15_000
const drainMs = 5_000
const expireMs = 15_000

interface Options {
  readonly pollMs?: number
  readonly leaseMs?: number
}

/** Tries the deliveries that are due. All workers do this; each try is made by one of them. */
export class Deliverer implements Service {
  readonly name = 'deliveries'
  readonly #parts: WorkerParts
  readonly #kinds: ReadonlyMap<string, DeliveryKind>
  readonly #pollMs: number
  readonly #leaseMs: number
  readonly #underWay = new Set<Claimed>()
  readonly #tries = new Set<Promise<void>>()
  #results: Tried[] = []
  #wake: () => void = () => undefined
  /** Messages were queued since the last claim. */
  #isRung = false
  #forgetWake: () => void = () => undefined
  #stopping = false
  #isFailing = false
  #expiredAt = 0
  /** The last claim that found something. */
  #claimedAt = 0
  #loop = Promise.resolve()

  constructor(parts: WorkerParts, kinds: readonly DeliveryKind[], options: Options = {}) {
    this.#parts = parts
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]))
    this.#pollMs = options.pollMs ?? pollMs
    this.#leaseMs = options.leaseMs ?? Math.max(0, ...kinds.map(({ timeoutMs }) => timeoutMs)) + leaseMarginMs
  }

  async run(): Promise<void> {
    this.#forgetWake = onQueued(() => {
      this.#isRung = true
      this.#wake()
    })
    this.#loop = this.#repeat()
  }

  /** Takes nothing new, and stores the results of tries that end soon. Other workers repeat the rest. */
  async drain(): Promise<void> {
    this.#stopping = true
    this.#forgetWake()
    this.#wake()
    await this.#loop
    const late = new AbortController()
    await Promise.race([Promise.all(this.#tries), pause(drainMs, undefined, { signal: late.signal })])
    late.abort()
    await this.#store().catch((error: unknown) =>
      this.#parts.log.warn({ err: error }, 'Results of deliveries are lost'),
    )
  }

  async stop(): Promise<void> {}

  async #repeat(): Promise<void> {
    while (!this.#stopping) {
      let claimed = 0
      this.#isRung = false
      try {
        await this.#store()
        await this.#expire()
        claimed = await this.#claim()
        this.#isFailing = false
      } catch (error) {
        if (!this.#isFailing) this.#parts.log.warn({ err: error }, 'Deliveries failed and are retried')
        this.#isFailing = true
      }
      if (claimed === 0 && !this.#stopping) await this.#idle()
    }
  }

  /** Until a result arrives or messages are queued, or for the length of a poll. */
  async #idle(): Promise<void> {
    if ((this.#results.length === 0 && !this.#isRung) || this.#isFailing) {
      await new Promise<void>((resolve) => {
        const isQuiet = this.#underWay.size === 0 && Date.now() - this.#claimedAt > quietAfterMs
        const timer = setTimeout(resolve, isQuiet ? Math.max(this.#pollMs, quietPollMs) : this.#pollMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#wake = () => undefined
    }
    await pause(gatherMs)
  }

  async #expire(): Promise<void> {
    if (Date.now() - this.#expiredAt < expireMs) return
    this.#expiredAt = Date.now()
    await expireDeliveries(this.#parts, [...this.#kinds.values()])
  }

  async #claim(): Promise<number> {
    const underWay = [...this.#underWay]
    const failing = underWay.filter(({ isFailing }) => isFailing).length
    const byPartner = Map.groupBy(underWay, ({ partnerId }) => partnerId)
    const room: Room = {
      healthy: Math.max(0, healthyMax - (underWay.length - failing)),
      failing: Math.max(0, failingMax - failing),
      withoutPartners: [...byPartner].flatMap(([id, own]) => (own.length >= perPartnerMax ? [id] : [])),
      kinds: [...this.#kinds.keys()],
      leaseMs: this.#leaseMs,
    }
    if (room.healthy + room.failing === 0 || !(await isAnyDue(this.#parts.pool, room))) return 0
    const claimed = await claimDue(this.#parts.pool, room)
    if (claimed.length > 0) this.#claimedAt = Date.now()
    for (const each of claimed) this.#begin(each)
    return claimed.length
  }

  #begin(claimed: Claimed): void {
    this.#underWay.add(claimed)
    const trying = this.#try(claimed).finally(() => {
      this.#underWay.delete(claimed)
      this.#tries.delete(trying)
      this.#wake()
    })
    this.#tries.add(trying)
  }

  async #try(claimed: Claimed): Promise<void> {
    const startedMs = Date.now()
    const begun = performance.now()
    const result = await this.#send(claimed)
    this.#results.push({ claimed, startedMs, durationMs: performance.now() - begun, result })
  }

  async #send(delivery: Delivery & { readonly kind: string }): Promise<SendResult> {
    try {
      const kind = this.#kinds.get(delivery.kind)
      if (kind === undefined) throw new Error(`No area delivers ${delivery.kind}`)
      return await kind.send(this.#parts, delivery)
    } catch (error) {
      return { delivered: false, error: error instanceof Error ? error.message : String(error) }
    }
  }

  async #store(): Promise<void> {
    const tried = this.#results
    if (tried.length === 0) return
    this.#results = []
    try {
      await settle(this.#parts, this.#kinds, tried)
    } catch (error) {
      await this.#storeOneByOne(tried, error)
    }
  }

  /** One result that cannot be stored must not hold back the others. It is tried again when its lease has ended. */
  async #storeOneByOne(tried: readonly Tried[], cause: unknown): Promise<void> {
    const left: Tried[] = []
    for (const each of tried) {
      await settle(this.#parts, this.#kinds, [each]).catch(() => left.push(each))
    }
    const fresh = left.filter(({ startedMs }) => Date.now() - startedMs < this.#leaseMs)
    this.#results = [...fresh, ...this.#results]
    if (left.length > 0) throw cause
  }
}
