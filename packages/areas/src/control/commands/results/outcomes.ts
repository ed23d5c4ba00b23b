import type pg from 'pg'
import type { Applied, EndedCommand, Outcome } from '../../../background/outcome.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'

const addToResults = {
  name: 'add-to-results',
  text: `UPDATE device_commands c SET result = coalesce(c.result, '{}') || u.addition
    FROM unnest($1::uuid[], $2::jsonb[]) AS u(id, addition) WHERE c.id = u.id`,
}

/** Applies the outcomes of commands whose end this transaction has stored. @returns events to publish after the commit */
export async function applyOutcomes(
  client: pg.PoolClient,
  outcomes: readonly Outcome[],
  ended: readonly EndedCommand[],
): Promise<PartnerEvent[]> {
  const events: PartnerEvent[] = []
  for (const { command, apply } of outcomes) {
    const own = ended.filter(({ type }) => type === command)
    if (own.length === 0) continue
    const applied = await apply(client, own)
    await addTo(client, applied.additions ?? new Map())
    events.push(...(applied.events ?? []))
  }
  return events
}

async function addTo(client: pg.PoolClient, additions: NonNullable<Applied['additions']>): Promise<void> {
  if (additions.size === 0) return
  const values = [...additions.values()].map((addition) => JSON.stringify(addition))
  await client.query({ ...addToResults, values: [[...additions.keys()], values] })
}
