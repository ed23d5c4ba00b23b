import { always, isNullOr } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { invalid } from '@muster/kit/errors.ts'
import type { Expression, SqlBool } from 'kysely'
import {
  type Comparison,
  customKeyOf,
  type Filter,
  faultOf,
  fieldsUsed,
} from '../../filter-language/filter.contract.ts'
import { type CustomTypes, compileFilter } from './compile-filter.ts'

/** The types of custom fields by key that apply to the devices of a partner or organization. */
export async function customTypesOf(db: Db, partnerId: string | null, orgId: string | null): Promise<CustomTypes> {
  const rows = await db
    .selectFrom('customFields')
    .select(['key', 'type', 'orgId'])
    .$if(partnerId !== null, (query) => query.where('partnerId', '=', partnerId ?? ''))
    .where(orgId === null ? always : isNullOr('orgId', orgId))
    .orderBy('orgId', (order) => order.nullsLast())
    .execute()
  // Nulls last: when organization and partner define the same key, the partner's definition wins.
  return new Map(rows.map((row) => [row.key, row.type]))
}

function* comparisonsOf(filter: Filter): Generator<Comparison> {
  if ('field' in filter) yield filter
  else
    for (const part of 'all' in filter ? filter.all : 'any' in filter ? filter.any : [filter.not])
      yield* comparisonsOf(part)
}

const filterTypes = { text: 'text', number: 'number', boolean: 'boolean', time: 'time', choice: 'text' } as const

/** Compiles a filter after checking its custom fields against the tenant's definitions. @throws VALIDATION_ERROR */
export async function conditionOf(
  db: Db,
  filter: Filter,
  tenant: { partnerId: string | null; orgId: string | null },
): Promise<Expression<SqlBool>> {
  if (![...fieldsUsed(filter)].some((field) => customKeyOf(field) !== null)) return compileFilter(filter)
  const types = await customTypesOf(db, tenant.partnerId, tenant.orgId)
  for (const comparison of comparisonsOf(filter)) {
    const key = customKeyOf(comparison.field)
    if (key === null) continue
    const type = types.get(key)
    if (type === undefined) throw invalid(`filter: the field ${comparison.field} does not exist`)
    const fault = faultOf(comparison, { type: filterTypes[type], label: key })
    if (fault !== null) throw invalid(`filter: ${fault}`)
  }
  return compileFilter(filter, types)
}
