import type { Log } from '@muster/kit/log.ts'
import type { AssignmentKind } from '@muster/wire/messages/assignment.ts'
import type pg from 'pg'
import type { Observer, Taken } from '../../background/observer.ts'
import { type Received, records } from '../../background/record.ts'
import type { PartnerEvent } from '../../platform/live-events/index.ts'

/** The clock of an agent may be this far ahead before the time of receipt counts. */
const aheadMaxMs = 60_000

const confirm = {
  name: 'confirm-assignments',
  text: `UPDATE device_assignments a SET applied_revision = u.revision,
      due_at = CASE WHEN u.revision >= a.revision THEN NULL ELSE a.due_at END
    FROM (SELECT device_id, kind, max(revision) AS revision FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS g (device_id, kind, revision)
      GROUP BY device_id, kind ORDER BY device_id, kind) u
    WHERE a.device_id = u.device_id AND a.kind = u.kind AND a.applied_revision < u.revision`,
}

/** Notes which assignments agents follow, and gives each kind's observations to the area that made the assignment. */
export const observations = records({
  names: ['observations'],
  keep: 'all',
  async store(client, received, parts) {
    await confirmRevisions(client, received)
    const events: PartnerEvent[] = []
    for (const observer of parts.observers)
      events.push(...((await takeWith(observer, client, received, parts)).events ?? []))
    return { events }
  },
})

async function takeWith(
  observer: Observer,
  client: pg.PoolClient,
  received: readonly Received<'observations'>[],
  parts: { readonly log: Log },
): Promise<Taken> {
  if (observer.kind === 'facts') {
    const facts = received.flatMap((one) => (one.body.kind === 'facts' ? observedIn(one, one.body.items) : []))
    return facts.length > 0 ? observer.store(client, facts, parts) : {}
  }
  const observed = received.flatMap((one) =>
    one.body.kind !== 'facts' && one.body.kind === observer.kind ? observedIn(one, one.body.items) : [],
  )
  return observed.length > 0 ? observer.store(client, observed, parts) : {}
}

const observedIn = <Item extends { readonly at: number }>(
  { deviceId, atMs }: Received<'observations'>,
  items: readonly Item[],
) => items.map((item) => ({ ...item, deviceId, at: item.at > atMs + aheadMaxMs ? atMs : item.at }))

async function confirmRevisions(client: pg.PoolClient, received: readonly Received<'observations'>[]): Promise<void> {
  const latest = new Map<string, [string, AssignmentKind, number]>()
  for (const { deviceId, body } of received)
    latest.set(`${deviceId} ${body.kind}`, [deviceId, body.kind, body.revision])
  const rows = [...latest.values()]
  await client.query({
    ...confirm,
    values: [rows.map(([id]) => id), rows.map(([, kind]) => kind), rows.map(([, , revision]) => revision)],
  })
}
