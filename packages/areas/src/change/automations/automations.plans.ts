// Automations that reach far wait for a second person.
import { sql } from 'kysely'
import { planKind } from '../../background/plan-kind.ts'
import { nextTime } from './triggers/next-time.rules.ts'
import { Trigger } from './triggers/triggers.contract.ts'
import { allowWorks, storedWorks } from './works.ts'

export const automationPlans = planKind({
  kind: 'automation',
  permission: 'automations:write',

  async revisionOf(db, id) {
    const { rows } = await sql<{ revision: number }>`SELECT revision FROM automations
      WHERE id = ${id}::uuid AND status = 'awaiting_approval' FOR UPDATE`.execute(db)
    return rows[0]?.revision ?? null
  },

  async approve({ db, services }, { subject }) {
    const row = await db.selectFrom('automations').selectAll().where('id', '=', subject.id).executeTakeFirstOrThrow()
    const trigger = Trigger.parse(row.trigger)
    await allowWorks({ db, services }, row, await storedWorks(db, row.id))
    const next = trigger.type === 'schedule' ? nextTime(trigger.cron, trigger.timezone, services.clock.now()) : null
    await db
      .updateTable('automations')
      .set({ status: 'enabled', statusReason: null, nextRunAt: next === null ? null : new Date(next).toISOString() })
      .where('id', '=', subject.id)
      .execute()
  },

  async refuse(db, { subject }, why) {
    await db
      .updateTable('automations')
      .set({ enabled: false, status: 'disabled', statusReason: `approval_${why}`, nextRunAt: null })
      .where('id', '=', subject.id)
      .where('status', '=', 'awaiting_approval')
      .execute()
    return []
  },
})
