import { faultOfHost, faultOfPort } from '../checks/target.ts'
// What a rule names beside devices: other rules, and who is told.

import { always, isNullOr, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import { eventTypes } from '../../../events.contract.ts'
import type { Owner } from '../../../fleet/targets/index.ts'
import type { Conditions } from './conditions.contract.ts'
import { readableRules } from './rule.queries.ts'
import { faultOfTemplate } from './rule-texts.ts'

/** @throws VALIDATION_ERROR when a rule is unknown, not of the owner, or depends on this one */
export async function requireDependencies(
  db: Db,
  caller: Caller,
  owner: Owner,
  ruleId: string | null,
  dependsOn: readonly string[],
): Promise<void> {
  if (dependsOn.length === 0) return
  const ids = [...new Set(dependsOn)]
  const found = await db
    .selectFrom('alertRules')
    .select(['alertRules.id'])
    .where(isOneOf('alertRules.id', ids))
    .where(readableRules(db, caller))
    .where('alertRules.partnerId', '=', owner.partnerId)
    .where(owner.orgId === null ? always : isNullOr('alertRules.orgId', owner.orgId))
    .execute()
  const known = new Set(found.map(({ id }) => id))
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) throw invalid(`dependsOnRuleIds: ${unknown} does not exist`)
  if (ruleId === null) return
  if (ids.includes(ruleId)) throw invalid('dependsOnRuleIds: a rule cannot depend on itself')
  // Serializes changes of dependencies of one partner, so that two of them close no circle.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`alert rules ${owner.partnerId}`}, 0))`.execute(db)
  const { rows } = await sql<{ id: string }>`WITH RECURSIVE above AS (
      SELECT unnest(${ids}::uuid[]) AS id
      UNION SELECT unnest(r.depends_on_rule_ids) FROM alert_rules r JOIN above a ON r.id = a.id)
    SELECT id FROM above WHERE id = ${ruleId}::uuid`.execute(db)
  if (rows.length > 0) throw invalid('dependsOnRuleIds: the rules would depend on each other in a circle')
}

/** @throws VALIDATION_ERROR for a snooze that is over */
export function requireLater(snoozedUntil: string | null | undefined, before: string | null, nowMs: number): void {
  if (snoozedUntil == null || snoozedUntil === before || Date.parse(snoozedUntil) > nowMs) return
  throw invalid('snoozedUntil: must be in the future')
}

/** @throws VALIDATION_ERROR for texts that are no templates, events that do not exist, and targets that no agent may reach */
export function requireSound(given: {
  readonly title?: string | null | undefined
  readonly message?: string | null | undefined
  readonly conditions?: Conditions | undefined
}): void {
  for (const field of ['title', 'message'] as const) {
    const text = given[field]
    const fault = text == null ? null : faultOfTemplate(text)
    if (fault !== null) throw invalid(`${field}: ${fault}`)
  }
  const { conditions } = given
  if (conditions === undefined || !('kind' in conditions)) return
  if (conditions.kind === 'certificate') requireReachable(conditions)
  if (conditions.kind !== 'event') return
  const { type } = conditions
  if (type.startsWith('alert.')) throw invalid('conditions.type: rules cannot follow alerts')
  const event = eventTypes.find(({ name }) => name === type)
  if (event === undefined) throw invalid(`conditions.type: there is no event ${type}`)
  const fields = event.schema instanceof z.ZodObject ? Object.keys(event.schema.shape) : []
  const unknown = Object.keys(conditions.where ?? {}).find((field) => !fields.includes(field))
  if (unknown !== undefined) throw invalid(`conditions.where.${unknown}: must be one of ${fields.join(', ')}`)
}

function requireReachable({ host, port }: { readonly host: string; readonly port: number }): void {
  const faults = { host: faultOfHost(host, true), port: faultOfPort(port) }
  if (faults.host !== null) throw invalid(`conditions.host: ${faults.host}`)
  if (faults.port !== null) throw invalid(`conditions.port: ${faults.port}`)
}
