import { answerTimeoutMs, livenessCheckMs, probeTimeoutMs, silenceTimeoutMs } from './limits.ts'

export interface LivenessActions {
  /** Sends a message that any live peer answers. */
  probe(): void
  lost(): void
}

/**
 * Detects a peer that disappeared without closing. Heartbeats and their acknowledgments usually show that it is alive.
 * Probes cost a server with many agents as much as heartbeats, so they are sent only when an answer is overdue.
 */
export class Liveness {
  readonly #actions: LivenessActions
  readonly #now: () => number
  readonly #timer: NodeJS.Timeout
  #heardAt: number
  #expectingSince: number | undefined
  #probedAt: number | undefined

  constructor(actions: LivenessActions, now: () => number = performance.now.bind(performance)) {
    this.#actions = actions
    this.#now = now
    this.#heardAt = now()
    this.#timer = setInterval(() => this.check(), livenessCheckMs)
  }

  received(): void {
    this.#heardAt = this.#now()
    this.#expectingSince = undefined
    this.#probedAt = undefined
  }

  /** Call when a frame was sent that the peer acknowledges. */
  expectAnswer(): void {
    this.#expectingSince ??= this.#now()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  check(): void {
    const now = this.#now()
    if (this.#probedAt !== undefined) {
      if (now - this.#probedAt >= probeTimeoutMs) this.#actions.lost()
      return
    }
    const unanswered = this.#expectingSince !== undefined && now - this.#expectingSince >= answerTimeoutMs
    if (!unanswered && now - this.#heardAt < silenceTimeoutMs) return
    this.#probedAt = now
    this.#actions.probe()
  }
}
