import type { Db } from '@muster/db/database.ts'
import { type Caller, hasPermission } from '@muster/kit/access.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { implement } from '../../operation.ts'
import type { Services } from '../../services.ts'
import { reachesNothing } from '../../tenancy/tenancy/index.ts'
import { findDevices } from './devices.queries.ts'
import { findOrganizations, findUsers } from './people.queries.ts'
import type { Match } from './score.ts'
import { search as contract, type Hit } from './search.contract.ts'

interface Source {
  readonly type: Hit['type']
  /** The permission to see results of this source. */
  readonly permission: Permission
  find(db: Db, services: Services, caller: Caller, query: string, match: Match, limit: number): Promise<Hit[]>
}

/** The sources of results. A new area adds a line here. */
const sources: readonly Source[] = [
  { type: 'device', permission: 'devices:read', find: findDevices },
  {
    type: 'organization',
    permission: 'organizations:read',
    find: (db, _services, ...question) => findOrganizations(db, ...question),
  },
  { type: 'user', permission: 'users:read', find: (db, _services, ...question) => findUsers(db, ...question) },
]

/** From strict to tolerant matching. Tolerant steps run only when stricter ones find too little. */
const matches: readonly Match[] = ['parts', 0.5, 0.36, 0.25]

export default implement(contract, {
  async find({ caller, input: { q, types, limit }, db, services }) {
    const asked = sources.filter(
      ({ type, permission }) =>
        (types === undefined || types.includes(type)) &&
        hasPermission(caller, permission) &&
        // A caller who reaches no organization still finds colleagues.
        (type === 'user' || !reachesNothing(caller)),
    )
    for (const match of matches) {
      const hits: Hit[] = []
      for (const { find } of asked) hits.push(...(await find(db, services, caller, q, match, limit)))
      if (hits.length === 0) continue
      const data = hits.sort((a, b) => b.score - a.score || (a.title < b.title ? -1 : 1)).slice(0, limit)
      return { query: q, data }
    }
    return { query: q, data: [] }
  },
})
