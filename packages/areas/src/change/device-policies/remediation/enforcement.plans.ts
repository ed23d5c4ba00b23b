// Enforcing policies that reach far wait for a second person.
import { sql } from 'kysely'
import { planKind } from '../../../background/plan-kind.ts'
import { EnforcementContent, startEnforcement } from './enforcement.ts'

export const enforcementPlans = planKind({
  kind: 'policy',
  permission: 'settings:write',

  async revisionOf(db, id) {
    const { rows } = await sql<{ revision: number }>`SELECT revision FROM device_policies
      WHERE id = ${id}::uuid AND status = 'awaiting_approval' AND deleted_at IS NULL FOR UPDATE`.execute(db)
    return rows[0]?.revision ?? null
  },

  async approve(call, { subject, content, owner }) {
    const { id, partnerId, orgId } = await call.db
      .updateTable('devicePolicies')
      .set({ status: 'active', revision: sql<number>`revision + 1` })
      .where('id', '=', subject.id)
      .returning(['id', 'partnerId', 'orgId'])
      .executeTakeFirstOrThrow()
    await startEnforcement(call, { id, partnerId, orgId }, EnforcementContent.parse(content).works, owner)
  },

  async refuse(db, { subject }) {
    await db
      .updateTable('devicePolicies')
      .set({ status: 'inactive', revision: sql<number>`revision + 1` })
      .where('id', '=', subject.id)
      .where('status', '=', 'awaiting_approval')
      .execute()
    return []
  },
})
