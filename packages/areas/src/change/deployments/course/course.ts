import { conflict } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { StoredWork } from '../../../background/deployment-kind.ts'
import { cancelIssued, dropGrants, proveReach } from '../../../control/commands/index.ts'
import { type Call, implement } from '../../../operation.ts'
import { changeable, deploymentById, devicesOf, type Row } from '../deployments.queries.ts'
import { withdrawOffers } from '../engine/offer-to-devices.ts'
import { passPersonGates, requireWaiting } from '../gates/pass-gates.ts'
import { course as contract } from './course.contract.ts'
import { begin, requireStarter, riskOf, withdraw } from './launch.ts'
import { requireStep } from './states.ts'

const note = ({ id, name, orgId, partnerId }: Row) => ({ target: id, name, orgId, partnerId })

export default implement(contract, {
  async start(call) {
    const row = await changeable(call, call.input.id)
    requireStep('start', row.status)
    const approval = await begin(call, row, { step: 'start' })
    const after = await deploymentById(call, row.id)
    if (approval === null)
      call.audit({
        ...note(row),
        action: 'deployment.start',
        details: { devices: after.counts.total, order: after.order },
      })
    return { ...after, approval }
  },

  async pause(call) {
    const row = await changeable(call, call.input.id)
    requireStep('pause', row.status)
    await withdraw(call, row, 'The deployment was paused')
    await change(call, row, { status: 'paused', endedAt: null })
    call.audit({ ...note(row), before: { status: row.status }, after: { status: 'paused' } })
    return deploymentById(call, row.id)
  },

  async resume(call) {
    const row = await changeable(call, call.input.id)
    requireStep('resume', row.status)
    if (row.statusBefore !== null) throw conflict('A second person is asked about a device of this deployment already')
    const approval = await begin(call, row, { step: 'resume' })
    const after = await deploymentById(call, row.id)
    if (approval === null)
      call.audit({ ...note(row), action: 'deployment.resume', details: { acceptedFailures: after.counts.failed } })
    return { ...after, approval }
  },

  async pass(call) {
    const { db, caller, input } = call
    const row = await changeable(call, input.id)
    await requireStarter(call, row)
    await requireWaiting(db, row, input.number)
    const risk = riskOf(StoredWork.parse(row.work))
    await proveReach(call, { ...risk, reach: { targets: await devicesOf(db, row.id) } })
    await passPersonGates(db, row, caller.userId)
    await sql`UPDATE deployments SET next_at = now() WHERE id = ${row.id}::uuid`.execute(db)
    call.audit({ ...note(row), details: { batch: input.number } })
    return deploymentById(call, row.id)
  },

  async cancel(call) {
    const { db, services, input } = call
    const row = await changeable(call, input.id)
    requireStep('cancel', row.status)
    await withdraw(call, row, 'The deployment was canceled')
    await dropGrants(db, { kind: 'deployment', id: row.id })
    await sql`UPDATE deployment_devices SET status = 'cancelled', reason = NULL
      WHERE deployment_id = ${row.id}::uuid AND status IN ('pending', 'held')`.execute(db)
    await withdrawOffers(db, row.id)
    const issued = await db
      .selectFrom('deploymentDevices')
      .select('commandId')
      .where('deploymentId', '=', row.id)
      .where('status', '=', 'queued')
      .execute()
    const commandIds = issued.flatMap(({ commandId }) => commandId ?? [])
    await cancelIssued(call, commandIds, { stopRunning: input.stopRunning })
    await change(call, row, { status: 'cancelled', endedAt: new Date(services.clock.now()).toISOString() })
    call.audit({ ...note(row), details: { was: row.status, stopRunning: input.stopRunning } })
    return deploymentById(call, row.id)
  },
})

/** Ends the turns of the engine. The last one of a pause reads what became of offers. */
const change = (
  { db }: Call,
  { id, revision }: Row,
  to: { readonly status: 'paused' | 'cancelled'; readonly endedAt: string | null },
) =>
  db
    .updateTable('deployments')
    .set({ ...to, statusBefore: null, reason: null, revision: revision + 1 })
    .set({ nextAt: to.status === 'paused' ? sql<string>`now()` : null })
    .where('id', '=', id)
    .execute()
