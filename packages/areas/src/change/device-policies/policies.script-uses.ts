import { isNull } from '@muster/db/conditions.ts'
import { sql } from 'kysely'
import { scriptUse, shownUses } from '../../background/script-use.ts'
import { readablePolicies } from './policies.queries.ts'

/** Policies with a rule or a remediation that runs the script, also those that are not active. */
export const policiesOfScripts = scriptUse({
  kind: 'policy',
  find(db, { id, partnerId }, caller) {
    return db
      .selectFrom('devicePolicies')
      .where(caller === null ? isNull('devicePolicies.deletedAt') : readablePolicies(caller))
      .where('devicePolicies.partnerId', '=', partnerId)
      .where(
        sql<boolean>`EXISTS (SELECT FROM jsonb_array_elements(device_policies.rules) AS rule
          WHERE ${id} IN (rule ->> 'scriptId', rule -> 'remediation' ->> 'scriptId'))`,
      )
      .select(['devicePolicies.id', 'devicePolicies.name'])
      .orderBy('devicePolicies.name')
      .orderBy('devicePolicies.id')
      .limit(shownUses)
      .execute()
  },
})
