import type { Db } from '@muster/db/database.ts'
import { type Transaction, transactionOf } from '@muster/db/transaction.ts'
import type { Applied, EndedCommand, Outcome } from '../../../background/outcome.ts'
import { causedBy, insertEvents } from '../../../platform/events/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { commandFailed } from '../commands-events.contract.ts'

const addToResults = {
  name: 'add-to-results',
  text: `UPDATE device_commands c SET result = coalesce(c.result, '{}') || u.addition
    FROM unnest($1::uuid[], $2::jsonb[]) AS u(id, addition) WHERE c.id = u.id`,
}

/** Applies the outcomes of commands whose end this transaction has stored. @returns events to publish after the commit */
export async function applyOutcomes(
  db: Db,
  outcomes: readonly Outcome[],
  ended: readonly EndedCommand[],
): Promise<PartnerEvent[]> {
  const events: PartnerEvent[] = []
  // What a command changes has the cause of the command.
  for (const alike of Map.groupBy(ended, ({ origin }) => JSON.stringify(origin?.cause)).values())
    events.push(...(await causedBy(db, alike[0]?.origin?.cause, () => applyTo(db, outcomes, alike))))
  return events
}

async function applyTo(db: Db, outcomes: readonly Outcome[], ended: readonly EndedCommand[]): Promise<PartnerEvent[]> {
  const transaction = transactionOf(db)
  await noteFailures(transaction, ended)
  const events: PartnerEvent[] = []
  for (const outcome of outcomes) {
    const own = ended.filter((command) => concerns(outcome, command))
    if (own.length === 0) continue
    const applied = await outcome.apply(transaction, own, db)
    await addTo(transaction, applied.additions ?? new Map())
    events.push(...(applied.events ?? []))
  }
  return events
}

/** Whether an outcome is for such a command. */
export const concerns = (
  { command, origins }: Outcome,
  { type, origin }: Pick<EndedCommand, 'type' | 'origin'>,
): boolean =>
  (command === 'any' || command === type) &&
  (origins === undefined || (origin !== null && origins.includes(origin.kind)))

const insertFailures = {
  name: 'note-failed-commands',
  text: `${insertEvents}
    SELECT '${commandFailed.name}', u.partner_id, u.org_id, d.site_id, u.device_id, now(), u.data || jsonb_build_object('hostname', d.hostname)
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::jsonb[]) AS u(partner_id, org_id, device_id, data)
    JOIN devices d ON d.id = u.device_id`,
}
const failures: readonly string[] = ['failed', 'timed_out', 'expired']

/** Tells followers about commands that failed, or that no device carried out in time. */
async function noteFailures(transaction: Transaction, ended: readonly EndedCommand[]): Promise<void> {
  const failed = ended.filter(({ status }) => failures.includes(status))
  if (failed.length === 0) return
  await transaction.query({
    ...insertFailures,
    values: [
      failed.map(({ partnerId }) => partnerId),
      failed.map(({ orgId }) => orgId),
      failed.map(({ deviceId }) => deviceId),
      failed.map(({ id, type, status, exitCode }) => JSON.stringify({ commandId: id, type, status, exitCode })),
    ],
  })
}

async function addTo(transaction: Transaction, additions: NonNullable<Applied['additions']>): Promise<void> {
  if (additions.size === 0) return
  const values = [...additions.values()].map((addition) => JSON.stringify(addition))
  await transaction.query({ ...addToResults, values: [[...additions.keys()], values] })
}
