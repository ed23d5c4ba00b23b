// Templates as rules read them: the built-in ones, and those of a partner or an organization.

import { isNullOr, isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { lockByName } from '@muster/db/lock-by-name.ts'
import type { Tables } from '@muster/db/tables.ts'
import { invalid } from '@muster/kit/errors.ts'
import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import type { Owner } from '../../../fleet/targets/index.ts'
import type { Call } from '../../../operation.ts'
import { readableRules } from '../rules/rule.queries.ts'
import { builtInTemplates } from './built-in.ts'
import { TemplateParameter } from './parameters.contract.ts'
import type { RuleTemplate } from './rule-template.ts'

const parameters = z.array(TemplateParameter)

export const asRuleTemplate = (row: Selectable<Tables['alertTemplates']>): RuleTemplate => ({
  ...row,
  parameters: parameters.parse(row.parameters),
})

/**
 * Rules that adopt a template take a shared lock; changing and deleting templates takes an exclusive one. So no rule adopts what
 * changes meanwhile.
 */
export const lockTemplates = (db: Db, partnerId: string, as: 'adopter' | 'writer'): Promise<void> =>
  lockByName(db, `alert templates ${partnerId}`, as === 'adopter' ? 'shared' : 'exclusive')

/** A template that rules of the owner may use. @throws VALIDATION_ERROR */
export async function templateFor(db: Db, { partnerId, orgId }: Owner, id: string): Promise<RuleTemplate> {
  const builtIn = builtInTemplates.find((template) => template.id === id)
  if (builtIn !== undefined) return builtIn
  await lockTemplates(db, partnerId, 'adopter')
  const found = await db
    .selectFrom('alertTemplates')
    .selectAll()
    .where('id', '=', id)
    .where('partnerId', '=', partnerId)
    .where(isNullOr('orgId', orgId))
    .executeTakeFirst()
  if (found === undefined) throw invalid(`templateId: ${id} does not exist`)
  return asRuleTemplate(found)
}

/** How many rules within reach use each template. */
export async function ruleCountsOf({ db, caller }: Pick<Call, 'db' | 'caller'>, templateIds: readonly string[]) {
  const rows = await db
    .selectFrom('alertRules')
    .select(['alertRules.templateId', sql<number>`count(*)::int`.as('count')])
    .where(isOneOf('alertRules.templateId', templateIds))
    .where(readableRules(db, caller))
    .groupBy('alertRules.templateId')
    .execute()
  return new Map(rows.map(({ templateId, count }) => [templateId, count]))
}
