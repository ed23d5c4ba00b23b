// Sends the messages of groups when they are due: the steps of the policy in their order, news, repetitions, the end.
import { setTimeout as pause } from 'node:timers/promises'
import { asSystem, type Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { everywhere } from '../../background/job.ts'
import type { WorkerParts } from '../../background/worker-parts.ts'
import { deliverNow } from '../../platform/deliveries/index.ts'
import type { PartnerEvent } from '../../platform/live-events/index.ts'
import { flapsNow } from '../alerts/index.ts'
import { endMessages } from './messages/ends.ts'
import { type GroupMessage, queueMessages, sendDigests } from './messages/messages.ts'
import { tellPeople } from './people.ts'
import type { Step } from './policies.contract.ts'
import { type Policy, routePolicies } from './routing.queries.ts'

const groupsAtOnce = 100
const lookMs = 500
/** Between looks that follow each other, at least. */
const pauseMs = 50
const looksMax = 50
/** A group is taken this long before it is due. About as long later its messages have been queued, claimed and sent. */
const leadMs = 100
const soon = sql.raw(`now() + interval '${leadMs} milliseconds'`)
/** Between two looks at a group whose alerts all flap. What is due waits until one of them is stable. */
const flappingLookSeconds = 60

interface Group {
  readonly id: string
  readonly partnerId: string
  readonly orgId: string | null
  readonly policyId: string | null
  readonly key: string
  readonly step: number
  readonly loop: number
  readonly messages: number
  readonly isStepDue: boolean
  readonly isNewsDue: boolean
  readonly isRepeatDue: boolean
  readonly isStopped: boolean
  /** Those that messages are about: active ones, unless people know that they flap. */
  readonly activeIds: string[]
  readonly activeCount: number
  readonly openCount: number
  readonly allIds: string[]
  /** Each of its alerts flaps. It stays open until one is stable, so that people hear of them once. */
  readonly allFlap: boolean
}

/** Without a policy, people who see the alert are notified once in the console. */
const unrouted: Pick<Policy, 'steps' | 'loops' | 'repeatIntervalSeconds'> = {
  steps: [{ afterMinutes: 0, channelIds: [], userIds: [], roleIds: [] }],
  loops: 0,
  repeatIntervalSeconds: 14_400,
}

async function dueGroups(db: Db): Promise<Group[]> {
  const { rows } = await sql<Group>`WITH due AS (
      SELECT g.* FROM alert_groups g WHERE g.closed_at IS NULL AND g.due_at <= ${soon} ORDER BY g.due_at LIMIT ${groupsAtOnce} FOR UPDATE SKIP LOCKED)
    SELECT g.id, g.partner_id, g.org_id, g.policy_id, g.key, g.step, g.loop, g.messages, coalesce(g.step_at <= ${soon}, false) AS is_step_due,
      coalesce(g.notify_at <= ${soon}, false) AS is_news_due, coalesce(g.repeat_at <= ${soon}, false) AS is_repeat_due,
      g.stopped_at IS NOT NULL AS is_stopped, m.active_ids, m.active_count, m.open_count, m.all_ids, m.all_flap
    FROM due g CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(a.id ORDER BY a.opened_at) FILTER (WHERE a.status = 'active' AND NOT (a.flapping AND x.told_flapping)), '{}') AS active_ids,
        (count(*) FILTER (WHERE a.status = 'active'))::int AS active_count, (count(*) FILTER (WHERE a.status <> 'resolved'))::int AS open_count, coalesce(array_agg(a.id ORDER BY a.opened_at), '{}') AS all_ids,
        count(DISTINCT (a.source, a.key)) > 0 AND count(DISTINCT (a.source, a.key)) FILTER (WHERE ${flapsNow}) = count(DISTINCT (a.source, a.key)) AS all_flap
      FROM alert_group_members x JOIN alerts a ON a.id = x.alert_id WHERE x.group_id = g.id) m
    ORDER BY g.id`.execute(db)
  return rows
}

/** What to send about one group, and how it continues. */
interface Decision {
  readonly group: Group
  readonly kind: GroupMessage['kind'] | null
  /** The steps whose recipients are notified. */
  readonly steps: readonly { readonly step: Step; readonly index: number }[]
  readonly takesStep: boolean
  readonly closes: boolean
}

/** Steps of which each channel is in the first one only: what goes to several steps at once reaches it once. */
function onceForEachChannel<Numbered extends { readonly step: Step }>(steps: readonly Numbered[]): Numbered[] {
  const reached = new Set<string>()
  return steps.map((each) => {
    const channelIds = each.step.channelIds.filter((id) => !reached.has(id))
    for (const id of channelIds) reached.add(id)
    return { ...each, step: { ...each.step, channelIds } }
  })
}

export function decide(group: Group, { steps }: Pick<Policy, 'steps'>): Decision {
  const numbered = steps.map((step, index) => ({ step, index }))
  const reached = onceForEachChannel(group.loop > 0 ? numbered : numbered.slice(0, group.step))
  const none = { group, steps: [], takesStep: false }
  if (group.openCount === 0) return { ...none, kind: null, closes: !group.allFlap }
  if (group.activeIds.length === 0 || group.isStopped) return { ...none, kind: null, closes: false }
  if (group.isStepDue && numbered[group.step] !== undefined) {
    const isFirst = group.step === 0 && group.loop === 0
    return {
      group,
      kind: isFirst ? 'alert' : 'escalation',
      steps: numbered.slice(group.step, group.step + 1),
      takesStep: true,
      closes: false,
    }
  }
  const isDue = group.isNewsDue || group.isRepeatDue
  return {
    ...none,
    kind: isDue ? (group.isNewsDue ? 'alert' : 'repeat') : null,
    steps: isDue ? reached : [],
    closes: false,
  }
}

/** Queues a step once, even if a worker dies after it. @returns whether it was not queued before */
async function takeStep(db: Db, { id, loop, step, partnerId, orgId }: Group): Promise<boolean> {
  const { rows } = await sql`INSERT INTO alert_group_steps (group_id, loop, step, partner_id, org_id)
    VALUES (${id}, ${loop}, ${step}, ${partnerId}, ${orgId}) ON CONFLICT DO NOTHING RETURNING step`.execute(db)
  return rows.length > 0
}

async function continueGroup(
  db: Db,
  decision: Decision,
  policy: Pick<Policy, 'steps' | 'loops' | 'repeatIntervalSeconds'>,
): Promise<void> {
  const { group, kind, takesStep, closes } = decision
  if (closes) {
    await sql`UPDATE alert_groups SET closed_at = now(), notify_at = NULL, step_at = NULL, repeat_at = NULL WHERE id = ${group.id}`.execute(
      db,
    )
    return
  }
  const isLast = group.step + 1 >= policy.steps.length
  const isOver = isLast && group.loop >= policy.loops
  const next = takesStep ? (isLast ? (isOver ? policy.steps.length : 0) : group.step + 1) : group.step
  const loop = takesStep && isLast && !isOver ? group.loop + 1 : group.loop
  const waitMinutes = policy.steps[next]?.afterMinutes ?? null
  const isNewLoop = loop !== group.loop
  const isQuiet = group.activeCount === 0 || group.isStopped
  // What is due and was not sent waits.
  const later = (column: 'step_at' | 'repeat_at') =>
    sql`CASE WHEN ${sql.ref(column)} <= ${soon} THEN now() + make_interval(secs => ${flappingLookSeconds}) ELSE ${sql.ref(column)} END`
  const stepAt =
    isQuiet || waitMinutes === null
      ? sql`NULL`
      : takesStep
        ? sql`greatest(now() + interval '1 second', ${isNewLoop ? sql`now()` : sql`loop_began_at`} + make_interval(mins => ${Math.max(waitMinutes, isNewLoop ? 1 : 0)}))`
        : later('step_at')
  const lookAgain = group.allFlap && group.activeIds.length === 0
  const notifyAt = lookAgain ? sql`now() + make_interval(secs => ${flappingLookSeconds})` : sql`NULL`
  await sql`UPDATE alert_groups SET notify_at = ${notifyAt}, step = ${next}, loop = ${loop}, step_at = ${stepAt},
      loop_began_at = CASE WHEN ${isNewLoop} THEN now() ELSE loop_began_at END,
      notified_at = CASE WHEN ${kind !== null} THEN now() ELSE notified_at END,
      repeat_at = CASE WHEN ${kind !== null} THEN now() + make_interval(secs => ${policy.repeatIntervalSeconds})
        WHEN ${isQuiet} THEN NULL ELSE ${later('repeat_at')} END,
      messages = messages + ${kind === null ? 0 : 1} WHERE id = ${group.id}`.execute(db)
  if (kind !== null)
    await sql`UPDATE alert_group_members m SET told_flapping = a.flapping FROM alerts a
      WHERE a.id = m.alert_id AND m.group_id = ${group.id} AND m.told_flapping <> a.flapping`.execute(db)
}

/** Handles the groups that are due. @returns their number and live events to publish */
async function dispatchDue(db: Db, publicUrl: string): Promise<{ handled: number; events: PartnerEvent[] }> {
  const groups = await dueGroups(db)
  const { policies } = await routePolicies(db, [...new Set(groups.map(({ partnerId }) => partnerId))])
  const byId = new Map(policies.map((policy) => [policy.id, policy]))
  const decided = groups.map((group) => {
    const policy = group.policyId === null ? unrouted : byId.get(group.policyId)
    return { group, policy, decision: decide(group, policy ?? { steps: [] }) }
  })
  // The statements about all groups leave together.
  const fresh = await Promise.all(decided.map(({ group, decision }) => !decision.takesStep || takeStep(db, group)))
  const messages: GroupMessage[] = []
  const events: PartnerEvent[] = []
  for (const [at, { group, decision }] of decided.entries()) {
    const { kind, steps } = decision
    if (kind === null || fresh[at] !== true) continue
    const alertIds = group.activeIds
    for (const { step, index } of steps) {
      const key = `group:${group.id}:${group.messages}:${group.loop}:${index}`
      messages.push({ groupId: group.id, channelIds: step.channelIds, key, kind, step: index, alertIds })
    }
    events.push(...(await tellPeople(db, group, decision, alertIds)))
  }
  await Promise.all(
    decided.map(({ decision, policy }) => continueGroup(db, decision, policy ?? { ...unrouted, steps: [] })),
  )
  const ends = await endMessages(
    db,
    decided.flatMap(({ group, decision }) => (decision.closes ? [group] : [])),
    messages.flatMap(({ channelIds }) => channelIds),
  )
  await queueMessages(db, [...messages, ...ends], publicUrl)
  return { handled: groups.length, events }
}

/**
 * In how many ms a group is to be taken, null if not before the next look, and whether a digest may be due. One statement, because
 * most looks find nothing.
 */
async function whatIsDue(pool: pg.Pool): Promise<{ inMs: number | null; isHeld: boolean }> {
  const { rows } = await pool.query<{ inMs: number | null; isHeld: boolean }>({
    name: 'when-dispatch-is-due',
    text: `SELECT (SELECT extract(epoch FROM due_at - clock_timestamp()) * 1000 - ${leadMs} FROM alert_groups
        WHERE closed_at IS NULL AND due_at <= now() + interval '${lookMs + leadMs} milliseconds' ORDER BY due_at LIMIT 1)::float8 AS "inMs",
      EXISTS (SELECT FROM alert_messages WHERE held) AS "isHeld"`,
  })
  return rows[0] ?? { inMs: null, isHeld: false }
}

/** Sends all that is due. */
export async function dispatch(pool: pg.Pool, publicUrl: string): Promise<PartnerEvent[]> {
  const events: PartnerEvent[] = []
  for (let more = true; more; ) {
    const done = await asSystem(pool, (db) => dispatchDue(db, publicUrl))
    events.push(...done.events)
    more = done.handled === groupsAtOnce
  }
  await asSystem(pool, (db) => sendDigests(db, publicUrl))
  return events
}

export const alertDispatch = everywhere(lookMs, 'alert-dispatch', async ({ pool, settings, publish }: WorkerParts) => {
  let due = await whatIsDue(pool)
  // Groups of one storm are due shortly after each other: each is sent on time, not at the next look.
  for (let looks = 0; looks < looksMax && (due.inMs !== null || due.isHeld); looks++) {
    await pause(Math.max(due.inMs ?? 0, looks === 0 ? 0 : pauseMs))
    await publish(await dispatch(pool, settings.publicUrl))
    deliverNow()
    due = { ...(await whatIsDue(pool)), isHeld: false }
  }
})
