import type { Heartbeat as Figures } from '@muster/wire/messages/heartbeat.ts'
import type { Random } from './backoff.ts'
import { heartbeatMsMax, heartbeatMsMin } from './limits.ts'
import type { Log } from './log.ts'

export interface HeartbeatOptions {
  read(): Promise<Figures>
  send(figures: Figures): void
  /** A heartbeat that cannot be sent now is dropped: the server timestamps it on arrival. */
  isConnected(): boolean
  log: Log
  random?: Random
}

/**
 * Sends one heartbeat right after the first welcome, so that a machine appears within seconds. The next one is sent at a
 * random time in the first interval, so that machines that start together do not report together; then one per
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

  /** Sets the interval from the server; the first call starts the heartbeats. */
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
        // Scheduled from the due time, so that the phase does not drift. After a suspension nothing is caught up.
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
      this.#options.log.error(
        `cannot read the figures for a heartbeat: ${error instanceof Error ? error.message : error}`,
      )
    }
  }
}
