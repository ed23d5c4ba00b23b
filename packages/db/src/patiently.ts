import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

/** Locks that others wait behind are tried for briefly, again and again. */
const lockTryMs = 500
const lockTriesMax = 120
const lockNotAvailable = '55P03'

/** Retries while another session holds a lock, because waiting for it would make writers wait as well. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isInTheWay = error instanceof pg.DatabaseError && error.code === lockNotAvailable
      if (!isInTheWay || tries >= lockTriesMax) throw error
      await pause(lockTryMs * (0.5 + Math.random()))
    }
  }
}
