import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { AppError, invalid } from '@muster/kit/errors.ts'
import { conditionOf } from '../../../fleet/devices/index.ts'
import type { Filter } from '../../../fleet/filter-language/filter.contract.ts'
import { type Owner, seenAmong, shownFilters } from '../../../fleet/targets/index.ts'
import { reachesWholePartner } from '../../../tenancy/tenancy/index.ts'
import type { Strategy } from './strategy.contract.ts'

const groupsIn = ({ batches }: Strategy): string[] =>
  batches.flatMap((batch) => ('groupIds' in batch ? batch.groupIds : []))

/** A strategy without the groups and places that the caller does not see. */
export async function shownStrategy(db: Db, caller: Caller, strategy: Strategy): Promise<Strategy> {
  if (reachesWholePartner(caller)) return strategy
  const seen = await seenAmong(db, caller, { groupIds: groupsIn(strategy) })
  const batches: Strategy['batches'] = []
  for (const batch of strategy.batches) {
    const filters = 'filter' in batch ? await shownFilters(db, caller, [batch.filter]) : []
    const [filter] = filters
    if (filter !== undefined) batches.push({ filter })
    else if ('groupIds' in batch) batches.push({ groupIds: batch.groupIds.filter((id) => seen.has(id)) })
    else batches.push(batch)
  }
  const gates = await Promise.all(
    strategy.gates.map(async (gate) => {
      const [filter] = gate.type === 'filter' ? await shownFilters(db, caller, [gate.filter]) : []
      return filter === undefined ? gate : { ...gate, filter }
    }),
  )
  return { ...strategy, batches, gates }
}

/** @throws VALIDATION_ERROR naming a group that the caller does not see, or an unknown field of a filter */
export async function requireSoundStrategy(db: Db, caller: Caller, owner: Owner, strategy: Strategy): Promise<void> {
  const seen = await seenAmong(db, caller, { groupIds: groupsIn(strategy) })
  for (const [index, batch] of strategy.batches.entries()) {
    const unknown = 'groupIds' in batch ? batch.groupIds.find((id) => !seen.has(id)) : undefined
    if (unknown !== undefined) throw invalid(`strategy.batches.${index}.groupIds: ${unknown} does not exist`)
    if ('filter' in batch) await requireSoundFilter(db, owner, batch.filter, `batches.${index}`)
  }
  for (const [index, gate] of strategy.gates.entries())
    if (gate.type === 'filter') await requireSoundFilter(db, owner, gate.filter, `gates.${index}`)
}

async function requireSoundFilter(db: Db, owner: Owner, filter: Filter, of: string): Promise<void> {
  try {
    await conditionOf(db, filter, owner)
  } catch (error) {
    throw error instanceof AppError ? invalid(`strategy.${of}.${error.message}`) : error
  }
}
