import { Histogram } from '../histogram.ts'

const tickMs = 1
/** Turns in a row before incoming data is read. */
const perTurn = 256

export interface Pace {
  readonly rate: number
  readonly seconds: number
}

export interface PaceResult {
  readonly offered: number
  readonly sent: number
  /** Turns of agents that were not connected. */
  readonly skipped: number
  /** How late the generator itself was. */
  readonly lateness: Histogram
}

/**
 * Calls `beat` at a fixed rate, independent of the outcome: turn k is due at k / rate after the start, and a late turn
 * keeps its due time.
 */
export function keepPace(
  { rate, seconds }: Pace,
  turns: number,
  beat: (turn: number, dueMs: number) => boolean,
  clock: () => number = () => performance.now(),
): Promise<PaceResult> {
  const startMs = clock()
  const offered = Math.floor(rate * seconds)
  const lateness = new Histogram()
  let done = 0
  let sent = 0
  return new Promise((resolve) => {
    const tick = () => {
      const nowMs = clock()
      const due = Math.min(offered, Math.floor(((nowMs - startMs) / 1000) * rate) + 1)
      const until = Math.min(due, done + perTurn)
      for (; done < until; done++) {
        const dueMs = startMs + (done / rate) * 1000
        lateness.record((nowMs - dueMs) * 1000)
        if (beat(done % turns, dueMs)) sent++
      }
      if (done >= offered) resolve({ offered, sent, skipped: offered - sent, lateness })
      else if (done < due) setImmediate(tick)
      else setTimeout(tick, tickMs)
    }
    tick()
  })
}
