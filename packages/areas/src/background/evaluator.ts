// What judges heartbeats while they are stored, declared by the area that it belongs to.
import type pg from 'pg'
import type { Heartbeats } from '../fleet/devices/metrics/heartbeat-rows.ts'
import type { Stored } from './record.ts'
import type { WorkerParts } from './worker-parts.ts'

/** The new heartbeats of one read. Those that came late are not evaluated. */
export interface NewHeartbeats {
  readonly heartbeats: Heartbeats
  /** Rows of each device in the order of time; `newest` has its last one. */
  readonly earlier: readonly number[]
  readonly newest: readonly number[]
  deviceId(device: number): string
  /** Undefined for a device that does not exist. */
  partnerOf(device: number): string | undefined
  /** What the evaluator keeps about a device; null at first, and after another worker had its shard. */
  memoryOf(device: number): object | null
  /** Counts after the commit alone. */
  keep(device: number, memory: object): void
}

/** What an evaluation changes, in the transaction that stores the heartbeats. Null if nothing. */
export type Evaluated = ((client: pg.PoolClient) => Promise<Stored>) | null

export interface Evaluator {
  readonly name: string
  /** Makes the evaluation of one worker. It changes nothing but what `keep` was given, because a write may fail. */
  begin(parts: WorkerParts): {
    /** False while there is nothing to evaluate. */
    isDue(): boolean
    evaluate(read: NewHeartbeats): Promise<Evaluated>
  }
}

export type Evaluating = ReturnType<Evaluator['begin']>

export const evaluator = (declared: Evaluator): Evaluator => declared
