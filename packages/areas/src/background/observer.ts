// What an area does with what devices observe: the results of the checks, or the facts, that it assigned to them.
import type { Log } from '@muster/kit/log.ts'
import type { CheckKind } from '@muster/wire/messages/assignment.ts'
import type { FactObservation, Observation } from '@muster/wire/messages/observations.ts'
import type pg from 'pg'
import type { PartnerEvent } from '../platform/live-events/publish.ts'

export interface Observed extends Observation {
  readonly deviceId: string
}

export interface ObservedFact extends FactObservation {
  readonly deviceId: string
}

export interface Taken {
  /** Published after the commit. */
  readonly events?: readonly PartnerEvent[]
}

interface ObserverOf<Kind, Seen> {
  /** Of the assignments that the area makes. */
  readonly kind: Kind
  /**
   * Runs in the transaction that moves the position of the stream. An agent repeats what was not acknowledged, so the same
   * observation (device, `id`, `at`) may come twice.
   */
  store(client: pg.PoolClient, observed: readonly Seen[], parts: { readonly log: Log }): Promise<Taken>
}

export type CheckObserver = ObserverOf<CheckKind, Observed>
export type FactObserver = ObserverOf<'facts', ObservedFact>
export type Observer = CheckObserver | FactObserver
