// Audits rejections with 403: the first ones of each caller one by one, the rest as one record with a count.

import { asSystem } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import type { Request } from '@muster/kit/call.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import { service } from '../../services.ts'
import { writeAuditRecords } from './records.ts'

const hourMs = 3_600_000
const singleRecordsMax = 20
const callersMax = 10_000
const writesMax = 4

interface Hour {
  readonly caller: Caller
  readonly request: Pick<Request, 'id' | 'ip' | 'userAgent'>
  readonly until: number
  seen: number
  readonly operations: Set<string>
}

export interface DenialParts {
  readonly system: pg.Pool
  readonly log: Log
  now(): number
  /** How long the rejections of a caller are counted together; an hour by default. */
  readonly countedMs?: number
}

/** One per process. Writing never delays a response. A failed write is logged. */
export class Denials {
  readonly #parts: DenialParts
  readonly #hours = new Map<string, Hour>()
  readonly #writing = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: DenialParts) {
    this.#parts = parts
  }

  get #countedMs(): number {
    return this.#parts.countedMs ?? hourMs
  }

  add(operation: string, caller: Caller, { id, ip, userAgent }: Request, reason: string): void {
    const now = this.#parts.now()
    this.#closePast(now)
    const key = `${caller.apiKeyId ?? caller.userId} ${caller.orgId ?? caller.partnerId ?? ''}`
    const request = { id, ip, userAgent }
    const hour = this.#hours.get(key) ?? {
      caller,
      request,
      until: now + this.#countedMs,
      seen: 0,
      operations: new Set(),
    }
    if (hour.seen === 0 && this.#hours.size >= callersMax) return
    this.#hours.set(key, hour)
    this.#closeLater(now)
    hour.seen += 1
    if (hour.seen > singleRecordsMax || this.#writing.size >= writesMax * 50) {
      if (hour.operations.size < 50) hour.operations.add(operation)
      return
    }
    this.#write(caller, request, operation, { operation, reason })
  }

  /** Writes the counts of all callers and waits until they are written. */
  async end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#closePast(Number.POSITIVE_INFINITY)
    await this.settled()
  }

  async settled(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing)
  }

  /** Writes a count at the end of its hour, also without a further rejection. */
  #closeLater(now: number): void {
    const [first] = this.#hours.values()
    if (this.#timer !== undefined || first === undefined) return
    const waitMs = Math.min(Math.max(first.until - now, 1), this.#countedMs)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const later = this.#parts.now()
      this.#closePast(later)
      this.#closeLater(later)
    }, waitMs).unref()
  }

  #closePast(now: number): void {
    for (const [key, hour] of this.#hours) {
      if (hour.until > now) break
      this.#hours.delete(key)
      const more = hour.seen - singleRecordsMax
      if (more <= 0) continue
      const operations = [...hour.operations]
      this.#write(hour.caller, hour.request, operations[0] ?? '', { refusals: more, operations })
    }
  }

  #write(caller: Caller, request: Hour['request'], target: string, details: Record<string, unknown>): void {
    const record = { action: 'access.denied', target, result: 'denied', details } as const
    const writing = asSystem(this.#parts.system, (db) => writeAuditRecords(db, [record], caller, request))
      .catch((error: unknown) =>
        this.#parts.log.error({ err: error, ...details }, 'could not audit a rejected request'),
      )
      .finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }
}

/** The recorder of rejections with 403. */
export const denialsOf = service(({ system, log, clock }) => new Denials({ system, log, now: () => clock.now() }))
