// What the alerts of one rule and one device are after some steps, in the words of the documentation and without a store.

export interface NaiveRule {
  readonly threshold: number
  readonly forSeconds: number
  readonly clearForSeconds: number
  readonly autoResolve: boolean
  readonly reopenSeconds: number
  readonly severity: 'high' | 'low'
  readonly enabled: boolean
}

export type Step =
  | { readonly kind: 'sample'; readonly cpu: number }
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'takeover' }
  /** `seconds`: until when; null without end. */
  | { readonly kind: 'acknowledge' | 'suppress'; readonly seconds: number | null }
  | { readonly kind: 'resolve' }
  | { readonly kind: 'startWindow' }
  | { readonly kind: 'endWindow' }
  /** `early`: a heartbeat that a worker evaluates before it knows of the change. */
  | { readonly kind: 'edit'; readonly change: Partial<NaiveRule>; readonly early: number | null }

/** What can be compared with a stored alert. */
export interface Compared {
  readonly status: 'active' | 'acknowledged' | 'suppressed' | 'resolved'
  readonly resolution: string | null
  readonly suppression: 'user' | 'maintenance' | null
  readonly severity: string
  readonly occurrences: number
  readonly holds: boolean
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }
interface NaiveAlert extends Writable<Compared> {
  autoResolve: boolean
  until: number | null
  releasedAt: number | null
  resolvedAt: number
}

/** What is open so long after a window is active again. */
const releaseSeconds = 120

export class NaiveAlerts {
  rule: NaiveRule
  readonly #alerts: NaiveAlert[] = []
  #now = 0
  #isFiring = false
  /** Since when the condition differs from what the alert says. */
  #since: number | null = null
  #inWindow = false

  constructor(rule: NaiveRule) {
    this.rule = rule
  }

  get all(): Compared[] {
    return this.#alerts.map(({ status, resolution, suppression, severity, occurrences, holds }) => ({
      ...{ status, resolution, suppression, severity, occurrences, holds },
    }))
  }

  /** Whether a person may do this with the latest alert. */
  allows(kind: 'acknowledge' | 'suppress' | 'resolve'): boolean {
    const { status = 'resolved' } = this.#alerts.at(-1) ?? {}
    return kind === 'acknowledge' ? status === 'active' : status !== 'resolved'
  }

  take(step: Step): void {
    if (step.kind === 'pass') this.#now += step.seconds
    else if (step.kind === 'sample') this.#sample(step.cpu)
    else if (step.kind === 'edit') this.#edit(step.change, step.early)
    else if (step.kind === 'startWindow' || step.kind === 'endWindow') this.#inWindow = step.kind === 'startWindow'
    else if (step.kind !== 'takeover' && this.allows(step.kind)) this.#act(step)
    this.#follow()
  }

  #act(step: Extract<Step, { kind: 'acknowledge' | 'suppress' | 'resolve' }>): void {
    const alert = this.#alerts.at(-1)
    if (alert === undefined) return
    alert.suppression = step.kind === 'suppress' ? 'user' : null
    alert.until = step.kind === 'resolve' || step.seconds === null ? null : this.#now + step.seconds
    if (step.kind === 'acknowledge') alert.status = 'acknowledged'
    else if (step.kind === 'suppress') alert.status = 'suppressed'
    else this.#resolve(alert, 'manual')
  }

  #sample(cpu: number): void {
    const { enabled, threshold, forSeconds, clearForSeconds } = this.rule
    if (!enabled) return
    if (cpu > threshold === this.#isFiring) this.#since = null
    else this.#since ??= this.#now
    if (this.#since === null || this.#now - this.#since < (this.#isFiring ? clearForSeconds : forSeconds)) return
    this.#isFiring = !this.#isFiring
    this.#since = null
    if (this.#isFiring) this.#raise()
    else this.#clear()
  }

  #raise(): void {
    const { reopenSeconds, severity, autoResolve } = this.rule
    const last = this.#alerts.at(-1)
    // A person resolved it, and its condition was never false.
    if (last?.holds === true) return
    const begun = { status: 'active', resolution: null, suppression: null, until: null, severity, autoResolve } as const
    if (last === undefined || (last.status === 'resolved' && this.#now - last.resolvedAt >= reopenSeconds))
      this.#alerts.push({ ...begun, occurrences: 1, holds: true, releasedAt: null, resolvedAt: 0 })
    else {
      if (last.status === 'resolved') Object.assign(last, begun)
      last.occurrences++
      last.holds = true
      last.releasedAt = null
    }
  }

  #clear(): void {
    const last = this.#alerts.at(-1)
    if (last?.holds !== true) return
    last.holds = false
    if (last.status !== 'resolved' && last.autoResolve) this.#resolve(last, 'auto')
  }

  #resolve(alert: NaiveAlert, resolution: string): void {
    Object.assign(alert, { status: 'resolved', resolution, suppression: null, until: null, resolvedAt: this.#now })
  }

  #edit(change: Partial<NaiveRule>, early: number | null): void {
    const before = this.rule
    this.rule = { ...before, ...change }
    const asksOther = (['threshold', 'forSeconds', 'clearForSeconds'] as const).some(
      (name) => this.rule[name] !== before[name],
    )
    if (before.enabled && !this.rule.enabled) this.#end('rule_disabled')
    else if (asksOther) this.#end('rule_changed')
    // A worker that does not know the rule yet decides nothing about it.
    if (early !== null && !asksOther && before.enabled === this.rule.enabled) this.#sample(early)
  }

  /** The rule no longer asks what its alerts answer. */
  #end(resolution: string): void {
    this.#isFiring = false
    this.#since = null
    for (const alert of this.#alerts) {
      alert.holds = false
      if (alert.status !== 'resolved') this.#resolve(alert, resolution)
    }
  }

  /** Times and windows, which the service follows by itself. */
  #follow(): void {
    for (const alert of this.#alerts) {
      const isOver = alert.until !== null && alert.until <= this.#now
      if (isOver) this.#activate(alert)
      if (alert.status === 'active' && this.#inWindow)
        Object.assign(alert, { status: 'suppressed', suppression: 'maintenance', releasedAt: null })
      if (alert.suppression !== 'maintenance') continue
      alert.releasedAt = this.#inWindow ? null : (alert.releasedAt ?? this.#now)
      if (alert.releasedAt !== null && this.#now - alert.releasedAt >= releaseSeconds) this.#activate(alert)
    }
  }

  #activate(alert: NaiveAlert): void {
    Object.assign(alert, { status: 'active', suppression: null, until: null, releasedAt: null })
  }
}
