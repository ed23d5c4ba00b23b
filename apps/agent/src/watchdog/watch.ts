import type { UpdateReason } from '@muster/wire/messages/update-status.ts'
import type { AgentState } from '../control.ts'
import {
  agentSilenceMaxMs,
  confirmOfflineMs,
  goodRunMs,
  linkRetryMs,
  pingEveryMs,
  pingsUnansweredMax,
} from '../limits.ts'
import type { Platform } from '../platform/platform.ts'
import { AgentLink } from './agent-link.ts'
import type { AgentProcess } from './agent-process.ts'

/** Why a new version is rolled back, and whether it is tried again. */
export interface Failure {
  reason: UpdateReason
  error: string
  bars: boolean
}

/** How watching one run of the agent ends. */
export type Verdict =
  | { kind: 'ended'; how: number | string | undefined }
  | { kind: 'hangs' }
  | { kind: 'silent' }
  /** The new version was not confirmed in time; without a server connection it is not blamed. */
  | ({ kind: 'failed' } & Failure)
  | { kind: 'stopped' }

export interface WatchOptions {
  directory: string
  platform: Pick<Platform, 'controlAddress'>
  agent: AgentProcess
  link: AgentLink | undefined
  /** The version that has to be confirmed, if any, and its time limit. */
  trial: { version: string; confirmMs: number } | undefined
  /** Whether the watchdog itself reaches the server; undefined when unknown. */
  isOnline: () => boolean | undefined
  signal: AbortSignal
  onLink: (link: AgentLink) => void
  onState: (state: AgentState) => void
  /** The new version is confirmed. */
  onProved: () => void
}

/** Watches one run of the agent until an action is needed. */
export class Watch {
  readonly #options: WatchOptions
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #startedAt = performance.now()
  #link: AgentLink | undefined
  #isTrial: boolean
  #silentSince: number | undefined
  #isOver = false
  #wasLinked = false
  #conclude: (verdict: Verdict) => void = () => {}

  constructor(options: WatchOptions) {
    this.#options = options
    this.#isTrial = options.trial !== undefined
  }

  /** Whether the agent has answered at all. */
  get wasLinked(): boolean {
    return this.#wasLinked
  }

  get ranMs(): number {
    return performance.now() - this.#startedAt
  }

  run(): Promise<Verdict> {
    const { agent, link, trial, signal } = this.#options
    return new Promise((resolve) => {
      const stopped = () => this.#conclude({ kind: 'stopped' })
      this.#conclude = (verdict) => {
        if (this.#isOver) return
        this.#isOver = true
        for (const timer of this.#timers) clearTimeout(timer)
        signal.removeEventListener('abort', stopped)
        this.#link?.close()
        resolve(verdict)
      }
      signal.addEventListener('abort', stopped)
      if (signal.aborted) return stopped()
      void agent.ended.then((how) => this.#conclude({ kind: 'ended', how }))
      if (link !== undefined) this.#take(link)
      else void this.#findLink()
      if (trial !== undefined) this.#after(trial.confirmMs, () => this.#judge())
      this.#after(pingEveryMs, () => this.#look())
    })
  }

  /** How far a failed new version got. */
  failure(): { reason: UpdateReason; error: string } {
    const state = this.#link?.state
    if (state === undefined) return { reason: 'did_not_start', error: 'it did not answer the watchdog' }
    if (!state.welcomed) return { reason: 'did_not_connect', error: 'it ran, but the server did not welcome it' }
    return { reason: 'no_heartbeat', error: 'it connected, but the server acknowledged no heartbeat' }
  }

  #after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      if (!this.#isOver) work()
    }, ms)
    this.#timers.add(timer)
  }

  async #findLink(): Promise<void> {
    const link = await AgentLink.open(this.#options.directory, this.#options.platform, pingEveryMs)
    if (this.#isOver) return link?.close()
    // An agent that is still ending may hold the control socket a little longer.
    if (link !== undefined && link.state.pid === this.#options.agent.pid) this.#take(link)
    else {
      link?.close()
      this.#after(linkRetryMs, () => void this.#findLink())
    }
  }

  #take(link: AgentLink): void {
    this.#link = link
    this.#wasLinked = true
    this.#options.onLink(link)
    link.watch((state) => this.#learn(state))
    void link.closed.then(() => {
      if (!this.#isOver) this.#after(linkRetryMs, () => void this.#findLink())
    })
  }

  #learn(state: AgentState): void {
    if (this.#isOver) return
    const { trial, onState, onProved } = this.#options
    this.#silentSince = state.connected ? undefined : (this.#silentSince ?? performance.now())
    onState(state)
    if (!this.#isTrial || !state.acknowledged || state.version !== trial?.version) return
    this.#isTrial = false
    onProved()
  }

  /** The time limit of a new version has passed. */
  #judge(): void {
    if (!this.#isTrial) return
    const { reason, error } = this.failure()
    const isServerAway = reason !== 'did_not_start' && this.#options.isOnline() === false
    if (isServerAway && this.ranMs < confirmOfflineMs) this.#after(pingEveryMs, () => this.#judge())
    else this.#conclude({ kind: 'failed', reason, error, bars: !isServerAway })
  }

  #look(): void {
    const verdict = this.#complaint()
    if (verdict !== undefined) this.#conclude(verdict)
    else this.#after(pingEveryMs, () => this.#look())
  }

  /** The fault of a running agent; sends it another request when there is none. */
  #complaint(): Verdict | undefined {
    const link = this.#link
    // A new version that does not answer is judged at its time limit.
    if (link === undefined) return this.ranMs > goodRunMs && !this.#isTrial ? { kind: 'hangs' } : undefined
    if (link.unanswered >= pingsUnansweredMax) return { kind: 'hangs' }
    link.ask()
    const silentMs = this.#silentSince === undefined ? 0 : performance.now() - this.#silentSince
    const isAtFault = this.#options.isOnline() === true && silentMs > agentSilenceMaxMs
    return isAtFault && !this.#isTrial ? { kind: 'silent' } : undefined
  }
}
