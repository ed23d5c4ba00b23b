// What a second person approves or refuses of deployments.
import type { Db } from '@muster/db/database.ts'
import { notFound } from '@muster/kit/errors.ts'
import { planKind } from '../../../background/plan-kind.ts'
import { kindOf } from '../deployment-kinds.ts'
import { DeploymentStatus } from '../deployments.contract.ts'
import type { Row } from '../deployments.queries.ts'
import { changeOf, tellChanged } from '../live/tell-changed.ts'
import { requirePermitted, Step, take } from './launch.ts'

/** Locked until the transaction ends. */
const locked = (db: Db, id: string): Promise<Row | undefined> =>
  db.selectFrom('deployments').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

export const deploymentPlans = planKind({
  kind: 'deployment',
  permission: 'automations:write',

  async revisionOf(db, id) {
    const row = await locked(db, id)
    return row === undefined || row.statusBefore === null ? null : row.revision
  },

  async approve(call, { subject, owner, content }) {
    const row = await locked(call.db, subject.id)
    if (row === undefined) throw notFound('Deployment')
    requirePermitted(call.caller, kindOf(call.services.deploymentKinds, row.ordered).permissions(row.ordered))
    await take(call, row, Step.parse(content), owner)
    tellChanged(call, row)
  },

  async refuse(db, { subject }, why) {
    const row = await locked(db, subject.id)
    if (row === undefined || row.statusBefore === null) return []
    await db
      .updateTable('deployments')
      .set({
        status: statusOf(row),
        statusBefore: null,
        reason: row.status === 'awaiting_approval' ? `approval_${why}` : row.reason,
      })
      .where('id', '=', row.id)
      .execute()
    return [changeOf(row)]
  },
})

/** Where it goes back to. One that was not stopped for the request goes on as it is. */
const statusOf = ({ status, statusBefore }: Row): Row['status'] =>
  status === 'awaiting_approval' ? DeploymentStatus.parse(statusBefore) : status
