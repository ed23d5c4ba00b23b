import type { Heartbeat as Figures } from '@muster/wire/messages/heartbeat.ts'
import type { Random } from './backoff.ts'
import { heartbeatMsMax, heartbeatMsMin } from './limits.ts'
import type { Log } from './log.ts'

export interface HeartbeatOptions {
  read(): Promise<Figures>
  send(figures: Figures): void
  /** A heartbeat that nobody receives now says nothing later: the server stamps it when it arrives. */
  isConnected(): boolean
  log: Log
  random?: Random
}

/**
 * Sends one heartbeat at once after the first welcome, so that a machine shows up within seconds; the next one at a
 * moment drawn from the first interval, so that machines that start together do not report together; then one per
 * interval. Reconnecting does not change the phase.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  readonly #random: Random
  #intervalMs = 0
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#random = options.random ?? Math.random
  }

  /** Takes the interval that the server wants; the first call starts the beating. */
  setInterval(wantedMs: number): void {
    const intervalMs = Math.min(heartbeatMsMax, Math.max(heartbeatMsMin, wantedMs))
    if (intervalMs === this.#intervalMs || this.#stopped) return
    const isFirst = this.#intervalMs === 0
    this.#intervalMs = intervalMs
    if (isFirst) void this.#beat()
    this.#schedule(performance.now() + this.#random() * intervalMs)
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #schedule(dueAt: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => {
        // From the due moment, not from now, so that the phase does not drift; after a suspension nothing is made up for.
        const now = performance.now()
        this.#schedule(dueAt + Math.max(1, Math.ceil((now - dueAt) / this.#intervalMs)) * this.#intervalMs)
        if (this.#options.isConnected()) void this.#beat()
      },
      Math.max(0, dueAt - performance.now()),
    )
  }

  async #beat(): Promise<void> {
    try {
      this.#options.send(await this.#options.read())
    } catch (error) {
      this.#options.log.error(`no heartbeat: ${error instanceof Error ? error.message : error}`)
    }
  }
}
