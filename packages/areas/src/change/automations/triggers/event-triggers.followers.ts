// Queues the runs of automations that wait for an event, in the transaction that moves the cursor: each event once.
import { type Db, handleOn } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { follower } from '../../../background/follower.ts'
import type { StoredEvent } from '../../../platform/events/event-type.contract.ts'
import { fieldsOfEvent, matches } from './match.rules.ts'
import { opposites, Trigger } from './triggers.contract.ts'

const batchMax = 500

interface Listening {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly eventType: string
  readonly trigger: unknown
}

/** Queues runs for these events, in their order. */
async function queueForEvents(db: Db, events: readonly StoredEvent[]): Promise<void> {
  const listening = await listeningTo(db, events)
  let due: NewRun[] = []
  let mayWait = await isAnyWaiting(db)
  for (const event of events) {
    const fields = fieldsOfEvent(event)
    const ends = opposites[event.type]
    if (ends !== undefined && mayWait) {
      await insertRuns(db, due)
      due = []
      await endWaiting(db, event, ends)
    }
    for (const { id, partnerId, orgId, trigger } of listening.get(`${event.partnerId} ${event.type}`) ?? [])
      if ((orgId === null || orgId === event.orgId) && trigger.type === 'event' && matches(trigger.match, fields)) {
        due.push({ automationId: id, partnerId, orgId, event, fields, forSeconds: trigger.forSeconds })
        mayWait ||= trigger.forSeconds > 0
      }
  }
  await insertRuns(db, due)
}

/** Whether runs wait for their event to last. Most of the time none does. */
async function isAnyWaiting(db: Db): Promise<boolean> {
  const { rows } = await sql`SELECT FROM automation_runs
    WHERE due_at > now() AND status = 'queued' AND triggered_by = 'event' AND reason IS NULL LIMIT 1`.execute(db)
  return rows.length > 0
}

/** The automations that listen to events like these, by partner and type. */
async function listeningTo(db: Db, events: readonly StoredEvent[]) {
  const partnerIds = [...new Set(events.map(({ partnerId }) => partnerId))]
  const types = [...new Set(events.map(({ type }) => type))]
  const { rows } = await sql<Listening>`SELECT id, partner_id, org_id, event_type, trigger FROM automations
    WHERE status = 'enabled' AND partner_id = ANY (${partnerIds}::uuid[]) AND event_type = ANY (${types}::text[])`.execute(
    db,
  )
  const parsed = rows.map(({ trigger, ...row }) => ({ ...row, trigger: Trigger.parse(trigger) }))
  return Map.groupBy(parsed, ({ partnerId, eventType }) => `${partnerId} ${eventType}`)
}

interface NewRun {
  readonly automationId: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly event: StoredEvent
  readonly fields: ReturnType<typeof fieldsOfEvent>
  readonly forSeconds: number
}

async function insertRuns(db: Db, runs: readonly NewRun[]): Promise<void> {
  if (runs.length === 0) return
  const of = <T>(value: (run: NewRun) => T) => runs.map(value)
  await sql`INSERT INTO automation_runs (automation_id, partner_id, org_id, triggered_by, trigger_key, chain, event, device_ids, due_at)
    SELECT automation_id, partner_id, org_id, 'event', key, ARRAY(SELECT jsonb_array_elements_text(chain)::uuid), event,
      CASE WHEN device_id IS NOT NULL THEN ARRAY[device_id] END, greatest(now(), at + make_interval(secs => for_seconds))
    FROM unnest(${of(({ automationId }) => automationId)}::uuid[], ${of(({ partnerId }) => partnerId)}::uuid[],
      ${of(({ orgId }) => orgId)}::uuid[], ${of(({ event }) => event.id)}::text[],
      ${of(({ event }) => JSON.stringify(event.cause?.chain ?? []))}::jsonb[], ${of(({ fields }) => JSON.stringify(fields))}::jsonb[],
      ${of(({ event }) => event.deviceId)}::uuid[], ${of(({ event }) => event.at)}::timestamptz[],
      ${of(({ forSeconds }) => forSeconds)}::int[]) AS u(automation_id, partner_id, org_id, key, chain, event, device_id, at, for_seconds)
    ON CONFLICT (automation_id, trigger_key) DO NOTHING`.execute(db)
}

/** Ends the runs that wait whether an event lasts, because its opposite came. */
async function endWaiting(
  db: Db,
  event: StoredEvent,
  { event: begun, by }: { readonly event: string; readonly by: readonly string[] },
) {
  const fields: Readonly<Record<string, unknown>> = fieldsOfEvent(event)
  const same = JSON.stringify(Object.fromEntries(by.map((name) => [name, fields[name] ?? null])))
  await sql`UPDATE automation_runs SET status = 'skipped', reason = 'did_not_last', due_at = NULL, finished_at = now()
    WHERE id IN (SELECT r.id FROM automation_runs r JOIN automations a ON a.id = r.automation_id
      WHERE a.partner_id = ${event.partnerId}::uuid AND a.event_type = ${begun} AND r.status = 'queued' AND r.triggered_by = 'event'
        AND r.due_at > now() AND r.reason IS NULL AND r.event @> ${same}::jsonb FOR UPDATE OF r SKIP LOCKED)`.execute(
    db,
  )
}

export const automationFollower = follower({
  name: 'automations',
  types: 'all',
  batchMax,
  async handle(client, events) {
    await queueForEvents(handleOn(client), events)
    return {}
  },
})
