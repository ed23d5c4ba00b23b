// What people do with alerts.
import type { Db } from '@muster/db/database.ts'
import type { AppError } from '@muster/kit/errors.ts'
import { conflict, invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { StoredAlert } from './stored-alert.ts'
import { addToTimeline } from './timeline.ts'

export interface Actor {
  readonly id: string
  readonly name: string
}

export type Action =
  | { readonly kind: 'acknowledge'; readonly until: string | null; readonly note: string | null }
  | { readonly kind: 'resolve'; readonly note: string | null }
  | { readonly kind: 'suppress'; readonly until: string | null; readonly reason: string | null }

/** When an action ends. @throws VALIDATION_ERROR for the past, or for two ends */
export function endOf(
  { until, durationMinutes }: { until?: string | undefined; durationMinutes?: number | undefined },
  nowMs: number,
): string | null {
  if (until !== undefined && durationMinutes !== undefined)
    throw invalid('until: give until or durationMinutes, not both')
  if (durationMinutes !== undefined) return new Date(nowMs + durationMinutes * 60_000).toISOString()
  if (until !== undefined && Date.parse(until) <= nowMs) throw invalid('until: must be in the future')
  return until ?? null
}

/** Why the alert does not take the action; null if it does. */
export async function refusalOf(db: Db, alert: StoredAlert, { kind }: Action): Promise<AppError | null> {
  if (alert.status === 'resolved') return conflict('The alert is resolved already')
  if (kind !== 'acknowledge' || alert.status === 'active') return null
  if (alert.status === 'suppressed') return conflict('The alert is suppressed. It can be resolved or suppressed again')
  const name = alert.acknowledgedBy === null ? 'another person' : await nameOf(db, alert.acknowledgedBy)
  return conflict(`The alert was acknowledged by ${name} already`)
}

/** The name of a person, for the timeline and messages. */
export async function nameOf(db: Db, userId: string): Promise<string> {
  const found = await db.selectFrom('users').select(['name', 'email']).where('id', '=', userId).executeTakeFirst()
  return found?.name ?? found?.email ?? 'another person'
}

const ending = { suppressionKind: null, suppressionId: null, suppressionReason: null, suppressedUntil: null }

const changeOf = (action: Action, actor: Actor) => {
  const now = sql<string>`now()`
  switch (action.kind) {
    case 'acknowledge':
      return {
        status: 'acknowledged' as const,
        acknowledgedAt: now,
        acknowledgedBy: actor.id,
        acknowledgedUntil: action.until,
      }
    case 'resolve':
      return {
        ...ending,
        status: 'resolved' as const,
        resolution: 'manual' as const,
        resolvedAt: now,
        resolvedBy: actor.id,
      }
    case 'suppress':
      return {
        status: 'suppressed' as const,
        suppressionKind: 'user' as const,
        suppressionId: actor.id,
        suppressionReason: action.reason,
        suppressedUntil: action.until,
        releasedAt: null,
      }
  }
}

const entryOf = { acknowledge: 'acknowledged', resolve: 'resolved', suppress: 'suppressed' } as const
export const changeNames = entryOf

/** Applies an action to alerts that take it. */
export async function act(db: Db, ids: readonly string[], action: Action, actor: Actor): Promise<StoredAlert[]> {
  const changed = await db
    .updateTable('alerts')
    .set({ ...changeOf(action, actor), lastChangedAt: sql<string>`now()` })
    .where('id', 'in', [...ids])
    .returningAll()
    .execute()
  const note = action.kind === 'suppress' ? action.reason : action.note
  const until = action.kind === 'resolve' ? null : action.until
  await addToTimeline(
    db,
    changed.map((alert) => ({
      alert,
      kind: entryOf[action.kind],
      actor,
      note,
      details: until === null ? {} : { until },
    })),
  )
  return changed
}
