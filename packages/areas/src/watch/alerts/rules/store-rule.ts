// Stores a change of a rule: by a person, or because its template changed.
import { invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { FilterExpression } from '../../../fleet/filter-language/filter.contract.ts'
import { dropTargets, type Owner, readTargets, saveTargets } from '../../../fleet/targets/index.ts'
import type { TargetInput } from '../../../fleet/targets/targets.contract.ts'
import type { Call } from '../../../operation.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { setChannelUses } from '../../channels/index.ts'
import { nameOf } from '../lifecycle/actions.ts'
import { endAlertsOf, snoozeAlertsOf } from '../lifecycle/end.ts'
import type { Adopted } from '../templates/adopt.ts'
import { templateFieldNames } from '../templates/rule-template.ts'
import { type Conditions, kindOf } from './conditions.contract.ts'
import type { StoredRule } from './rule.queries.ts'

/** The columns of what a rule takes from its template and from itself. */
export const columnsOf = ({ fields, templateId, parameters, overrides }: Adopted) => ({
  ...fields,
  conditions: JSON.stringify(fields.conditions),
  channelIds: [...fields.channelIds],
  dependsOnRuleIds: [...fields.dependsOnRuleIds],
  kind: kindOf(fields.conditions),
  templateId,
  parameters: JSON.stringify(parameters),
  overrides: [...overrides],
})

/** The devices that match the condition `filter` among the targets, kept as a set of their own. Null for other conditions. */
export async function saveConditionSet(
  call: Pick<Call, 'db' | 'caller'>,
  owner: Owner,
  { targets, exclude }: TargetInput,
  conditions: Conditions,
  existing: string | null,
): Promise<string | null> {
  if (!('kind' in conditions) || conditions.kind !== 'filter') return null
  const both = targets.filter === undefined ? conditions.filter : { all: [targets.filter, conditions.filter] }
  const filter = FilterExpression.safeParse(both)
  if (!filter.success) throw invalid('conditions.filter: is too large together with the filter of the targets')
  return saveTargets(call, owner, { targets: { ...targets, filter: filter.data }, exclude }, existing ?? undefined)
}

/** Ends alerts of a rule that asks something else now. */
async function followChange(
  call: Call,
  before: StoredRule,
  after: StoredRule,
  asksOther: boolean,
  hasOtherTargets: boolean,
): Promise<PartnerEvent[]> {
  const { db, caller } = call
  const actor = { id: caller.userId, name: await nameOf(db, caller.userId) }
  if (before.enabled && !after.enabled) return endAlertsOf(db, after.id, 'rule_disabled', actor)
  if (asksOther) return endAlertsOf(db, after.id, 'rule_changed', actor)
  const left = hasOtherTargets
    ? await endAlertsOf(db, after.id, 'rule_changed', actor, 'devices that left the targets')
    : []
  if (before.snoozedUntil === after.snoozedUntil) return left
  return [...left, ...(await snoozeAlertsOf(db, after.id, after.snoozedUntil, actor))]
}

/** What rules never take from templates. */
export interface OwnFields {
  readonly enabled?: boolean | undefined
  readonly snoozedUntil?: string | null | undefined
}

interface Stored {
  readonly after: StoredRule
  /** The targets before and after. */
  readonly stored: TargetInput
  readonly wanted: TargetInput
  /** To publish after the commit. */
  readonly events: PartnerEvent[]
}

// PostgreSQL orders the keys of a JSON value in its own way.
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, canonical(each)]),
  )
}
const differs = (a: unknown, b: unknown): boolean => JSON.stringify(canonical(a)) !== JSON.stringify(canonical(b))

/** Raises the version if the rule asks something else, or if its template changed anything of it. */
export async function storeRule(
  call: Call,
  before: StoredRule,
  adopted: Adopted,
  own: OwnFields,
  { targets, exclude }: Partial<TargetInput>,
): Promise<Stored> {
  const { db } = call
  const stored = (await readTargets(db, [before.targetSetId])).get(before.targetSetId) ?? { targets: {}, exclude: {} }
  const wanted = { targets: targets ?? stored.targets, exclude: exclude ?? stored.exclude }
  const isTargeted = targets !== undefined || exclude !== undefined
  const hasOtherTargets = differs(wanted, stored)
  if (isTargeted) await saveTargets(call, before, wanted, before.targetSetId)
  const { fields } = adopted
  const hasOtherConditions = differs(fields.conditions, before.conditions)
  const asksOther =
    hasOtherConditions || fields.forSeconds !== before.forSeconds || fields.clearForSeconds !== before.clearForSeconds
  const isFollowing =
    adopted.templateId !== null && templateFieldNames.some((name) => differs(fields[name], before[name]))
  const conditionSetId =
    isTargeted || hasOtherConditions
      ? await saveConditionSet(call, before, wanted, fields.conditions, before.conditionSetId)
      : before.conditionSetId
  const after = await db
    .updateTable('alertRules')
    .set({
      ...own,
      ...columnsOf(adopted),
      conditionSetId,
      version: asksOther || hasOtherTargets || isFollowing ? sql<number>`version + 1` : before.version,
      updatedAt: sql<string>`now()`,
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (before.conditionSetId !== null && conditionSetId === null) await dropTargets(db, before.conditionSetId)
  if (differs(after.channelIds, before.channelIds))
    await setChannelUses(db, { ...after, usedBy: `rule:${after.id}` }, after.channelIds)
  return { after, stored, wanted, events: await followChange(call, before, after, asksOther, hasOtherTargets) }
}
