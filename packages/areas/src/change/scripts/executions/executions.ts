import { isOneOf } from '@muster/db/conditions.ts'
import { asCaller, type Db } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import { AppError, invalid, notFound } from '@muster/kit/errors.ts'
import {
  CommandWait,
  cancelCommand,
  followOutput,
  refusalOf,
  selectTargets,
  sendToMany,
} from '../../../control/commands/index.ts'
import { implement } from '../../../operation.ts'
import { scriptById, scriptToUse } from '../scripts.queries.ts'
import { asDeployment } from './as-deployment.ts'
import { executions as contract, ExecutionSummary } from './executions.contract.ts'
import { executionById, executionColumns, executionsOfCommands, visibleExecutions } from './executions.queries.ts'
import { runOrder } from './run-order.ts'

export default implement(contract, {
  async execute(call) {
    const { caller, db, input, services } = call
    const script = await scriptToUse(db, caller, input.id)
    if (input.strategy !== undefined || input.startAt !== undefined) return asDeployment(call, script)
    const { targets, unseen } = await selectTargets(call, input)
    if (input.waitMs > 0 && targets.length !== 1) throw invalid('waitMs: is only for one device')
    const { order, sendable, skipped, failed } = await runOrder(call, script, targets)
    const sent = await sendToMany(call, order, { targets: sendable, unseen })
    const executions = await executionsOfCommands(
      db,
      caller,
      sent.commands.map(({ id }) => id),
    )
    const answer = {
      ...{ batchId: sent.batchId, approval: sent.approval, executions, deploymentId: null },
      skipped: [...skipped, ...sent.skipped],
      failed: [...failed, ...sent.failed],
    }
    requireSome(answer)
    const [only] = sent.commands
    const partnerId = targets[0]?.partnerId
    if (input.waitMs === 0 || only === undefined || partnerId === undefined) return answer
    const { waitMs } = input
    const wait = new CommandWait(services, { caller, partnerId, command: only, waitMs, signal: call.request.signal })
    call.afterCommit(() => wait.listen())
    call.answerLater(async () => {
      await wait.result()
      const read = (reading: Db) => executionsOfCommands(reading, caller, [only.id])
      return { ...answer, executions: await asCaller(services.people, caller, 'read', read) }
    })
    return answer
  },

  async preview(call) {
    const { caller, db, input, services } = call
    const script = await scriptById(db, caller, input.id)
    const { targets, unseen } = await selectTargets(call, input)
    const { order, sendable, skipped, failed } = await runOrder(call, script, targets)
    const judged = sendable.map((target) => ({ target, reason: refusalOf(target, order, services.settings) }))
    const reached = judged.filter(({ reason }) => reason === null).map(({ target }) => target)
    const refused = judged.flatMap(({ reason }) => (reason === null ? [] : [{ reason }]))
    const byReason = Map.groupBy([...skipped, ...refused], ({ reason }) => reason)
    const { code, message } = notFound('Device')
    return {
      devices: reached.length,
      organizations: new Set(reached.map(({ orgId }) => orgId)).size,
      skipped: [...byReason].map(([reason, those]) => ({ reason, devices: those.length })),
      failed: [...failed, ...unseen.map((deviceId) => ({ deviceId, code, message }))],
    }
  },

  async list({ caller, db, input: { id, page, limit, status, severity, deviceId } }) {
    await scriptById(db, caller, id)
    const found = visibleExecutions(db, caller)
      .where('run.scriptId', '=', id)
      .$if(status !== undefined, (query) => query.where(isOneOf('command.status', status ?? [])))
      .$if(severity !== undefined, (query) => query.where(isOneOf('run.severity', severity ?? [])))
      .$if(deviceId !== undefined, (query) => query.where('run.deviceId', '=', deviceId ?? ''))
      .select(executionColumns)
      .orderBy('run.createdAt', 'desc')
      .orderBy('run.id')
    const { data, pagination } = await paged(found, { page, limit })
    return { data: data.map((row) => ExecutionSummary.parse(row)), pagination }
  },

  async get({ caller, db, input }) {
    return executionById(db, caller, input.id)
  },

  async cancel(call) {
    const { caller, db, input } = call
    await cancelCommand(call, await executionById(db, caller, input.id))
    return executionById(db, caller, input.id)
  },

  async *output(call) {
    const { caller, input, services } = call
    const { id, stdout, stderr } = input
    const found = await asCaller(services.people, caller, 'read', (db) => executionById(db, caller, id))
    yield* followOutput(call, { id: found.deviceId, commandId: found.commandId, stdout, stderr })
  },
})

interface Answer {
  readonly executions: readonly unknown[]
  readonly skipped: readonly { readonly reason: string }[]
  readonly failed: readonly unknown[]
  readonly approval: unknown
}

/** @throws CONFLICT when every device was skipped */
function requireSome({ executions, skipped, failed, approval }: Answer): void {
  if (executions.length + failed.length > 0 || approval !== null || skipped.length === 0) return
  const reasons = [...new Set(skipped.map(({ reason }) => reason))].join(', ')
  throw new AppError('CONFLICT', `All devices are skipped: ${reasons}`, { skipped })
}
