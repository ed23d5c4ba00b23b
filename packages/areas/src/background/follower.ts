// What an area does with events, declared by the area that it belongs to.
import type pg from 'pg'
import type { EventType, StoredEvent } from '../platform/events/event-type.contract.ts'
import type { Stored } from './record.ts'
import type { WorkerParts } from './worker-parts.ts'

export interface Follower {
  /** Names its cursor, also in logs and metrics. A new name begins with the events after its first start. */
  readonly name: string
  readonly types: readonly EventType[] | 'all'
  /** The largest number of events per transaction. */
  readonly batchMax: number
  /**
   * Runs in the transaction that moves the cursor, in the order of the commits, in one worker at a time. It must be short:
   * no follower sees events that were stored after it began. An event that fails repeatedly is left out and recorded.
   */
  handle(
    client: pg.PoolClient,
    events: readonly StoredEvent[],
    parts: WorkerParts,
  ): Promise<Pick<Stored, 'events' | 'afterCommit'>>
}

export const follower = (declared: Follower): Follower => declared
