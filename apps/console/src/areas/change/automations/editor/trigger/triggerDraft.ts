// A trigger while it is edited. What another type needs is kept, so that a change of the type can be undone.
import type { Trigger } from '@muster/areas/change/automations/triggers/triggers.contract.ts'
import { eventTypes } from '@muster/areas/events.contract.ts'
import { z } from 'zod'

export interface MatchDraft {
  readonly key: string
  readonly field: string
  /** One on each line. */
  readonly values: string
}

export interface TriggerDraft {
  readonly type: Trigger['type']
  readonly cron: string
  readonly timezone: string
  readonly catchUpSeconds: string
  readonly event: string
  readonly match: readonly MatchDraft[]
  readonly forSeconds: string
}

let made = 0
export const newMatch = (): MatchDraft => ({ key: `match-${++made}`, field: '', values: '' })

export const newTrigger = (timezone: string): TriggerDraft => ({
  ...{ type: 'schedule', cron: '0 2 * * *', timezone, catchUpSeconds: '3600' },
  ...{ event: 'device.offline', match: [], forSeconds: '0' },
})

export function triggerDraftOf(trigger: Trigger, timezone: string): TriggerDraft {
  const draft = { ...newTrigger(timezone), type: trigger.type }
  if (trigger.type === 'schedule') return { ...draft, ...trigger, catchUpSeconds: String(trigger.catchUpSeconds) }
  if (trigger.type !== 'event') return draft
  const match = Object.entries(trigger.match).map(([field, values]) => ({
    ...newMatch(),
    field,
    values: [values].flat().map(String).join('\n'),
  }))
  return { ...draft, event: trigger.event, match, forSeconds: String(trigger.forSeconds) }
}

/** The fields of an event, each with what is known of its values. */
export function fieldsOfEvent(name: string): ReadonlyMap<string, { readonly type: string; readonly among: string[] }> {
  const schema = eventTypes.find((each) => each.name === name)?.schema
  const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : []
  return new Map(
    shape.map(([field, of]): [string, { type: string; among: string[] }] => {
      const inner: unknown = of instanceof z.ZodNullable ? of.unwrap() : of
      if (inner instanceof z.ZodEnum) return [field, { type: 'text', among: inner.options.map(String) }]
      return [field, { type: inner instanceof z.ZodNumber ? 'number' : 'text', among: [] }]
    }),
  )
}

function matchOf({ event, match }: TriggerDraft): Record<string, string | number | (string | number)[]> {
  const fields = fieldsOfEvent(event)
  return Object.fromEntries(
    match
      .filter(({ field }) => field !== '')
      .map(({ field, values }) => {
        const lines = values.split('\n').filter((line) => line.trim() !== '')
        const isNumber = fields.get(field)?.type === 'number'
        const typed = lines.map((line) => (isNumber ? Number(line) : line.trim()))
        const [first] = typed
        return [field, typed.length === 1 && first !== undefined ? first : typed]
      }),
  )
}

/** What a draft says in a request. */
export function triggerOf(draft: TriggerDraft) {
  switch (draft.type) {
    case 'schedule': {
      const { type, cron, timezone, catchUpSeconds } = draft
      return { type, cron: cron.trim(), timezone: timezone.trim(), catchUpSeconds: Number(catchUpSeconds) }
    }
    case 'event':
      return { type: draft.type, event: draft.event, match: matchOf(draft), forSeconds: Number(draft.forSeconds) }
    case 'webhook':
    case 'manual':
      return { type: draft.type }
  }
}
