import { asSystem } from '@muster/db/database.ts'
import { background } from '../../background/background.ts'
import { changeFollower, followFilters, ownersOfStateFilters } from '../devices/index.ts'
import { dynamicGroups } from './membership.ts'

export default background({
  changeFollowers: [
    changeFollower({
      name: 'groups',
      stateOwners: async (db) => ownersOfStateFilters(await dynamicGroups(db)),
      follow: async (parts, changes) => followFilters(parts, await asSystem(parts.pool, dynamicGroups), changes),
    }),
  ],
})
