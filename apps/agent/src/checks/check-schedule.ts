import type { AssignedCheck } from '@muster/wire/messages/assignment.ts'
import type { Random } from '../backoff.ts'
import { checksAtOnce } from '../limits.ts'
import type { Checkers, Finding } from './check.ts'

export interface CheckScheduleOptions {
  checkers: Checkers
  found(assigned: AssignedCheck, finding: Finding): void
  random?: Random
}

interface Scheduled {
  assigned: AssignedCheck
  /** The item as text, to recognize an unchanged check. */
  form: string
  timer: NodeJS.Timeout | undefined
  running: AbortController | undefined
}

/** Repeats checks. Each has a random phase within its interval, which it keeps; a limited number runs at once. */
export class CheckSchedule {
  readonly #options: CheckScheduleOptions
  readonly #scheduled = new Map<string, Scheduled>()
  readonly #waiting: Scheduled[] = []
  #running = 0

  constructor(options: CheckScheduleOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#scheduled.size
  }

  /** Replaces all checks. One that did not change keeps its phase and its current round. */
  replace(checks: readonly AssignedCheck[]): void {
    const wanted = new Map(checks.map((assigned) => [assigned.id, assigned]))
    for (const [id, scheduled] of this.#scheduled) {
      const assigned = wanted.get(id)
      if (assigned !== undefined && JSON.stringify(assigned) === scheduled.form) wanted.delete(id)
      else this.#end(id, scheduled)
    }
    for (const assigned of wanted.values()) this.#begin(assigned)
  }

  stop(): void {
    for (const [id, scheduled] of this.#scheduled) this.#end(id, scheduled)
  }

  #begin(assigned: AssignedCheck): void {
    const scheduled = { assigned, form: JSON.stringify(assigned), timer: undefined, running: undefined }
    this.#scheduled.set(assigned.id, scheduled)
    const everyMs = assigned.everySeconds * 1_000
    // The first round comes soon, so that a new check shows a state; the phase of later ones is spread over the interval.
    this.#schedule(scheduled, performance.now() + this.#random() * Math.min(everyMs, firstWithinMs))
  }

  #random(): number {
    return (this.#options.random ?? Math.random)()
  }

  #end(id: string, scheduled: Scheduled): void {
    clearTimeout(scheduled.timer)
    this.#scheduled.delete(id)
    scheduled.running?.abort(new Error('The check was removed'))
    const at = this.#waiting.indexOf(scheduled)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  #schedule(scheduled: Scheduled, dueAt: number): void {
    const everyMs = scheduled.assigned.everySeconds * 1_000
    scheduled.timer = setTimeout(
      () => {
        // Scheduled from the due time, so that the phase does not drift. Rounds that were missed are not made up for.
        const late = Math.ceil((performance.now() - dueAt) / everyMs)
        this.#schedule(scheduled, dueAt + Math.max(1, late) * everyMs)
        if (scheduled.running !== undefined || this.#waiting.includes(scheduled)) return
        this.#waiting.push(scheduled)
        this.#next()
      },
      Math.max(0, dueAt - performance.now()),
    )
    scheduled.timer.unref()
  }

  #next(): void {
    while (this.#running < checksAtOnce) {
      const scheduled = this.#waiting.shift()
      if (scheduled === undefined) return
      this.#running++
      void this.#round(scheduled).finally(() => {
        this.#running--
        this.#next()
      })
    }
  }

  async #round(scheduled: Scheduled): Promise<void> {
    const { assigned } = scheduled
    const round = new AbortController()
    scheduled.running = round
    const finding = await roundOf(this.#options.checkers, assigned, round.signal)
    scheduled.running = undefined
    if (this.#scheduled.get(assigned.id) === scheduled) this.#options.found(assigned, finding)
  }
}

const firstWithinMs = 5_000
/** A check that does not react to its abort is given up after this. */
const graceMs = 1_000

/** One round of a check within its time. Never rejects. */
export async function roundOf(checkers: Checkers, assigned: AssignedCheck, removed?: AbortSignal): Promise<Finding> {
  const { check, timeoutSeconds, degradedMs } = assigned
  const timeoutMs = timeoutSeconds * 1_000
  const ended = AbortSignal.timeout(timeoutMs)
  const signal = removed === undefined ? ended : AbortSignal.any([ended, removed])
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(timedOut(timeoutSeconds)), timeoutMs + graceMs)
  })
  try {
    const finding = await Promise.race([checkWith(checkers, check, assigned, signal), tooLong])
    const isSlow = finding.state === 'ok' && degradedMs !== undefined && (finding.ms ?? 0) > degradedMs
    return isSlow ? { ...finding, state: 'degraded', text: `took longer than ${degradedMs} ms` } : finding
  } catch (error) {
    if (ended.aborted) return timedOut(timeoutSeconds)
    // A name without an address has failed like a host that does not answer.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTFOUND')
      return { state: 'failed', text: error.message }
    return { state: 'unknown', text: error instanceof Error ? error.message : String(error) }
  } finally {
    clearTimeout(timer)
  }
}

const timedOut = (seconds: number): Finding => ({ state: 'failed', text: `no answer within ${seconds} s` })

/** Calls the checker of the type. The cases keep the types of check and checker together. */
function checkWith(
  checkers: Checkers,
  check: AssignedCheck['check'],
  assigned: AssignedCheck,
  signal: AbortSignal,
): Promise<Finding> {
  const absent = () => Promise.reject(new Error(`This machine cannot do checks of type ${check.type}`))
  switch (check.type) {
    case 'ping':
      return checkers.ping?.(check, assigned, signal) ?? absent()
    case 'tcp':
      return checkers.tcp?.(check, assigned, signal) ?? absent()
    case 'http':
      return checkers.http?.(check, assigned, signal) ?? absent()
    case 'dns':
      return checkers.dns?.(check, assigned, signal) ?? absent()
    case 'service':
      return checkers.service?.(check, assigned, signal) ?? absent()
    case 'process':
      return checkers.process?.(check, assigned, signal) ?? absent()
    case 'disk':
      return checkers.disk?.(check, assigned, signal) ?? absent()
    case 'eventLog':
      return checkers.eventLog?.(check, assigned, signal) ?? absent()
    case 'certificate':
      return checkers.certificate?.(check, assigned, signal) ?? absent()
  }
}
