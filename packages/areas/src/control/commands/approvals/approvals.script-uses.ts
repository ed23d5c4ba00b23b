import { always } from '@muster/db/conditions.ts'
import { sql } from 'kysely'
import { scriptUse, shownUses } from '../../../background/script-use.ts'
import { visibleApprovals } from './approval.queries.ts'

/** Runs that wait for a second person. */
export const waitingRuns = scriptUse({
  kind: 'approval',
  find(db, { id, partnerId }, caller) {
    return db
      .selectFrom('commandApprovals')
      .where('commandApprovals.partnerId', '=', partnerId)
      .where('commandApprovals.status', '=', 'pending')
      .where(sql<boolean>`command_approvals.expires_at > now()`)
      .where(sql<boolean>`command_approvals.subject @> ${JSON.stringify({ kind: 'script', id })}::jsonb`)
      .where(caller === null ? always : visibleApprovals(caller))
      .select(['commandApprovals.id', 'commandApprovals.type as name'])
      .orderBy('commandApprovals.createdAt')
      .limit(shownUses)
      .execute()
  },
})
