import { always } from '@muster/db/conditions.ts'
import { sql } from 'kysely'
import { scriptUse, shownUses } from '../../background/script-use.ts'
import { hasEnded } from './course/states.ts'
import { DeploymentStatus } from './deployments.contract.ts'
import { visibleDeployments } from './deployments.queries.ts'

const openStatuses = DeploymentStatus.options.filter((status) => !hasEnded(status))

/** Deployments of the script that have not ended. */
export const openDeployments = scriptUse({
  kind: 'deployment',
  find(db, { id, partnerId }, caller) {
    return db
      .selectFrom('deployments as d')
      .where('d.partnerId', '=', partnerId)
      .where('d.status', 'in', openStatuses)
      .where(sql<boolean>`d.ordered ->> 'scriptId' = ${id}`)
      .where(caller === null ? always : visibleDeployments(caller))
      .select(['d.id', 'd.name'])
      .orderBy('d.createdAt')
      .limit(shownUses)
      .execute()
  },
})
