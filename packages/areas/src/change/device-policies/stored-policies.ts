// Writes policies with their targets and the followed filters of their rules.
import type { Db } from '@muster/db/database.ts'
import { AppError, invalid } from '@muster/kit/errors.ts'
import { dropTargets, saveTargets } from '../../fleet/targets/index.ts'
import type { Call } from '../../operation.ts'
import type { Assignment, Policy } from './policies.contract.ts'
import { placesOf } from './policies.queries.ts'
import type { Rule } from './rules/rules.contract.ts'

interface Owner {
  readonly partnerId: string
  readonly orgId: string | null
}
/** What a caller gives of a policy. */
export type Given = Pick<
  Policy,
  | 'name'
  | 'description'
  | 'mode'
  | 'priority'
  | 'assignments'
  | 'exclude'
  | 'osTypes'
  | 'filter'
  | 'settings'
  | 'rules'
  | 'maxRemediationsPerHour'
>

/** @throws VALIDATION_ERROR for the level `partner` where it makes no sense */
function requireSoundLevels({ partnerId, orgId }: Owner, { assignments, exclude }: Given): void {
  for (const [index, { level, id }] of assignments.entries()) {
    if (level !== 'partner') continue
    if (orgId !== null) throw invalid(`assignments.${index}.level: the policy belongs to an organization`)
    if (id !== partnerId) throw invalid(`assignments.${index}.id: ${id} does not exist`)
  }
  const all = exclude.findIndex(({ level }) => level === 'partner')
  if (all >= 0) throw invalid(`exclude.${all}.level: the whole partner cannot be excluded`)
}

/** An error about targets in the words of the policy: it names the assignment. */
function inWordsOf({ assignments, exclude }: Given, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') return error
  const of = (field: 'assignments' | 'exclude', list: readonly Assignment[]) =>
    list.flatMap(({ id }, index) =>
      error.message.includes(id) ? [invalid(`${field}.${index}.id: ${id} does not exist`)] : [],
    )
  return of('assignments', assignments)[0] ?? of('exclude', exclude)[0] ?? error
}

/** Saves the assignments, the exclusions and the filter. @returns the id of the targets */
export async function savePlaces(
  call: Pick<Call, 'db' | 'caller'>,
  owner: Owner,
  given: Given,
  existingId?: string,
): Promise<string> {
  requireSoundLevels(owner, given)
  const { assignments, exclude, filter } = given
  const targets = { ...placesOf(assignments), ...(filter === null ? {} : { filter }) }
  const everything = assignments.some(({ level }) => level === 'partner')
  try {
    return await saveTargets(call, owner, { targets, exclude: placesOf(exclude), everything }, existingId)
  } catch (error) {
    throw inWordsOf(given, error)
  }
}

/** Follows the filters of rules, and forgets those of rules that are gone. */
export async function saveRuleFilters(
  call: Pick<Call, 'db' | 'caller'>,
  policy: Owner & { readonly id: string },
  rules: readonly Rule[],
): Promise<void> {
  const { db } = call
  const owner = { partnerId: policy.partnerId, orgId: policy.orgId }
  const known = await filtersOf(db, policy.id)
  for (const [index, rule] of rules.entries()) {
    if (rule.type !== 'filter') continue
    const existing = known.get(rule.key)
    known.delete(rule.key)
    const saved = await saveTargets(call, owner, { targets: { filter: rule.filter }, exclude: {} }, existing).catch(
      (error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error
        throw invalid(`rules.${index}.${error.message}`)
      },
    )
    if (existing !== undefined) continue
    await db
      .insertInto('devicePolicyFilters')
      .values({ ...owner, policyId: policy.id, ruleKey: rule.key, targetSetId: saved })
      .execute()
  }
  for (const [ruleKey, setId] of known) {
    await db
      .deleteFrom('devicePolicyFilters')
      .where('policyId', '=', policy.id)
      .where('ruleKey', '=', ruleKey)
      .execute()
    await dropTargets(db, setId)
  }
}

/** The followed filters of a policy's rules, by key. */
async function filtersOf(db: Db, policyId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('devicePolicyFilters')
    .select(['ruleKey', 'targetSetId'])
    .where('policyId', '=', policyId)
    .execute()
  return new Map(rows.map(({ ruleKey, targetSetId }) => [ruleKey, targetSetId]))
}
