import { asSystem } from '@muster/db/database.ts'
import { background } from '../../background/background.ts'
import { changeFollower, followFilters, ownersOfStateFilters } from '../devices/index.ts'
import { filteredSets } from './filter-members.ts'
import { filterSweep } from './followed-filters.jobs.ts'

export default background({
  jobs: [filterSweep],
  changeFollowers: [
    changeFollower({
      name: 'targets',
      stateOwners: async (db) => ownersOfStateFilters(await filteredSets(db)),
      follow: async (parts, changes) => followFilters(parts, await asSystem(parts.pool, filteredSets), changes),
    }),
  ],
})
