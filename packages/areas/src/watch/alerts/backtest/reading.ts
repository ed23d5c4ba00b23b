// Reads history of many devices in parts, until the time for it is over.
import type { Db } from '@muster/db/database.ts'

export interface Device {
  readonly id: string
  readonly orgId: string
  readonly siteId: string | null
}

export interface Reading {
  readonly db: Db
  readonly devices: readonly Device[]
  /** How far history is read. */
  readonly hours: number
  /** By `performance.now()`. */
  readonly endMs: number
}

export const idsOf = (devices: readonly Device[]): string[] => devices.map(({ id }) => id)

/** The time that is left for the next query. */
export const msLeft = ({ endMs }: Pick<Reading, 'endMs'>): number => endMs - performance.now()

/**
 * Works through devices, some at a time.
 * @param work answers false if the time was over before it was done
 * @returns how many devices were looked at
 */
export async function inParts(
  reading: Pick<Reading, 'endMs'>,
  devices: readonly Device[],
  atOnce: number,
  work: (part: readonly Device[]) => Promise<boolean>,
): Promise<number> {
  const size = Math.max(1, Math.floor(atOnce))
  let done = 0
  while (done < devices.length && msLeft(reading) > 0) {
    const part = devices.slice(done, done + size)
    if (!(await work(part))) break
    done += part.length
  }
  return done
}

/** How many devices are read at once if each has this many rows. */
export const atOnceFor = (rowsOfDevice: number): number => Math.max(1, Math.min(500, 100_000 / rowsOfDevice))
