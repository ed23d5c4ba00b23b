import { always } from '@muster/db/conditions.ts'
import { paged } from '@muster/db/page.ts'
import { conflict, invalid } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import type { z } from 'zod'
import { dropGrants } from '../../control/commands/index.ts'
import { dropTargets, readTargets, saveTargets } from '../../fleet/targets/index.ts'
import { type Call, implement } from '../../operation.ts'
import { drawDevices, dropBatches } from './batches/draw-devices.ts'
import { requireSoundStrategy } from './batches/shown-strategy.ts'
import { Strategy, strategyOf } from './batches/strategy.contract.ts'
import { signAgain } from './course/launch.ts'
import { hasEnded, isUnstarted, requireStep } from './course/states.ts'
import { createDeployment, requireSoundOrder, requireSoundTimes } from './create-deployment.ts'
import { deployments as contract } from './deployments.contract.ts'
import { changeable, deploymentById, type Row, summariesOf, visibleDeployments } from './deployments.queries.ts'

const note = (row: Pick<Row, 'id' | 'name' | 'orgId' | 'partnerId'>) => ({
  target: row.id,
  name: row.name,
  orgId: row.orgId,
  partnerId: row.partnerId,
})

export default implement(contract, {
  async list({ caller, db, input: { page, limit, status, orgId, search } }) {
    const found = db
      .selectFrom('deployments as d')
      .selectAll('d')
      .where(visibleDeployments(caller))
      .$if(status !== undefined, (query) => query.where('d.status', '=', status ?? 'draft'))
      .$if(orgId !== undefined, (query) => query.where('d.orgId', '=', orgId ?? ''))
      .where(search === undefined ? always : sql<boolean>`strpos(lower(d.name), lower(${search}::text)) > 0`)
      .orderBy('d.createdAt', 'desc')
      .orderBy('d.id')
    const { data, pagination } = await paged(found, { page, limit })
    return { data: await summariesOf(db, caller, data), pagination }
  },

  async create(call) {
    const made = await createDeployment(call, call.input)
    const after = await deploymentById(call, made.id)
    call.audit({ ...note(made), after })
    return after
  },

  async get(call) {
    return deploymentById(call, call.input.id)
  },

  async update(call) {
    const { audit } = call
    const { id, ...given } = call.input
    const row = await changeable(call, id)
    const before = await deploymentById(call, id)
    if (isUnstarted(row.status)) await changeDraft(call, row, given)
    else await changeStarted(call, row, given)
    const after = await deploymentById(call, id)
    audit({ ...note(after), before, after })
    return after
  },

  async remove(call) {
    const { db, audit } = call
    const row = await changeable(call, call.input.id)
    if (!isUnstarted(row.status) && !hasEnded(row.status))
      throw conflict(`The deployment is ${row.status}. Cancel it first`)
    const before = await deploymentById(call, row.id)
    await dropGrants(db, { kind: 'deployment', id: row.id })
    await db.deleteFrom('deployments').where('id', '=', row.id).execute()
    await dropTargets(db, row.targetSetId)
    audit({ ...note(row), before })
    return { success: true as const }
  },

  async initialize(call) {
    const { audit } = call
    const row = await changeable(call, call.input.id)
    requireStep('initialize', row.status)
    const devices = await drawDevices(call, row)
    const after = await deploymentById(call, row.id)
    audit({ ...note(row), details: { devices, batches: after.batches.map((batch) => batch.devices) } })
    return after
  },
})

type Changes = Omit<z.output<typeof contract.update.input>, 'id'>

/** A deployment that was not started becomes a draft again. */
async function changeDraft(call: Call, row: Row, given: Changes): Promise<void> {
  const { db, caller, services } = call
  const { order = row.ordered, targets, exclude, name = row.name, description = row.description } = given
  const { startAt = row.startAt, deadlineAt = row.deadlineAt } = given
  const strategy = strategyOf(given.strategy ?? {}, Strategy.parse(row.strategy))
  if (given.startAt !== undefined || given.deadlineAt !== undefined)
    requireSoundTimes({ startAt, deadlineAt }, services.clock.now())
  if (given.strategy !== undefined) await requireSoundStrategy(db, caller, row, strategy)
  if (given.order !== undefined || given.strategy !== undefined) await requireSoundOrder(call, row, order, strategy)
  if (targets !== undefined || exclude !== undefined) {
    const saved = (await readTargets(db, [row.targetSetId])).get(row.targetSetId) ?? { targets: {}, exclude: {} }
    const wanted = { targets: targets ?? saved.targets, exclude: exclude ?? saved.exclude }
    await saveTargets(call, row, wanted, row.targetSetId)
  }
  await dropBatches(db, row.id)
  await db
    .updateTable('deployments')
    .set({ name, description, startAt, deadlineAt, status: 'draft', revision: row.revision + 1 })
    .set({ ordered: JSON.stringify(order), strategy: JSON.stringify(strategy) })
    .where('id', '=', row.id)
    .execute()
}

/** @throws CONFLICT for other fields than those that change later */
async function changeStarted(
  call: Call,
  row: Row,
  { strategy: given = {}, deadlineAt, ...others }: Changes,
): Promise<void> {
  const { db, services } = call
  const names = [
    ...Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name])),
    ...Object.entries(given).flatMap(([name, value]) =>
      value === undefined || name === 'maxConcurrency' ? [] : [`strategy.${name}`],
    ),
  ]
  if (hasEnded(row.status) || row.status === 'awaiting_approval')
    throw conflict(`The deployment is ${row.status} and cannot be changed`)
  if (names.length > 0)
    throw conflict(
      `${names.join(', ')}: cannot be changed after the start. Only strategy.maxConcurrency and deadlineAt can`,
    )
  if (deadlineAt === null) throw invalid('deadlineAt: must be a moment once the deployment was started')
  if (deadlineAt !== undefined) requireSoundTimes({ startAt: row.startAt, deadlineAt }, services.clock.now())
  const strategy = strategyOf(given, Strategy.parse(row.strategy))
  const after = { ...row, deadlineAt: deadlineAt ?? row.deadlineAt }
  await db
    .updateTable('deployments')
    .set({ strategy: JSON.stringify(strategy), deadlineAt: after.deadlineAt })
    .set({ nextAt: row.status === 'running' ? sql<string>`now()` : row.nextAt })
    .where('id', '=', row.id)
    .execute()
  if (deadlineAt !== undefined) await signAgain(call, after)
}
