import { always } from '@muster/db/conditions.ts'
import { scriptUse, shownUses } from '../../background/script-use.ts'
import { visibleAutomations } from './automations.queries.ts'

/** Automations that run the script, also while they are disabled. */
export const automationsOfScripts = scriptUse({
  kind: 'automation',
  find(db, script, caller) {
    return db
      .selectFrom('automationWorks as work')
      .innerJoin('automations', 'automations.id', 'work.automationId')
      .where('work.scriptId', '=', script.id)
      .where(caller === null ? always : visibleAutomations(caller))
      .select(['automations.id', 'automations.name'])
      .distinct()
      .orderBy('automations.name')
      .orderBy('automations.id')
      .limit(shownUses)
      .execute()
  },
})
