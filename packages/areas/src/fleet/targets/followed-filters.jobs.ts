// Evaluates what filters choose for all devices: members of dynamic groups, and matching devices of target sets.
import { asSystem } from '@muster/db/database.ts'
import type pg from 'pg'
import { every } from '../../background/job.ts'
import type { FollowedFilter } from '../devices/index.ts'
import { dynamicGroups } from '../groups/index.ts'
import { filteredSets } from './filter-members.ts'

/** Evaluates each filter for all devices. Repairs missed changes, and follows filters whose result depends on the time. */
export async function sweepFilters(system: pg.Pool): Promise<void> {
  const filters = await asSystem(
    system,
    async (db): Promise<FollowedFilter[]> => [...(await dynamicGroups(db)), ...(await filteredSets(db))],
  )
  for (const filter of filters) await asSystem(system, (db) => filter.evaluate(db, null))
}

export const filterSweep = every(60_000, 'filter-sweep', ({ pool }) => sweepFilters(pool))
