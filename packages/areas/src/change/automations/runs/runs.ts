import { randomUUID } from 'node:crypto'
import { isOneOf } from '@muster/db/conditions.ts'
import { paged } from '@muster/db/page.ts'
import { conflict, invalid } from '@muster/kit/errors.ts'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { type Call, implement } from '../../../operation.ts'
import type { Automation } from '../automations.contract.ts'
import { changeableAutomation, storedAutomation } from '../automations.queries.ts'
import { triggerRun } from '../triggers/webhook-trigger.ts'
import { storeDryRun } from './dry-run.ts'
import { runs as contract } from './runs.contract.ts'
import { asSummary, runById, visibleRuns } from './runs.queries.ts'

export default implement(contract, {
  async list({ caller, db, input: { id, status, page, limit } }) {
    await storedAutomation(db, caller, id)
    const found = visibleRuns(db, caller)
      .where('run.automationId', '=', id)
      .$if(status !== undefined, (query) => query.where(isOneOf('run.status', status ?? [])))
      .orderBy('run.createdAt', 'desc')
      .orderBy('run.id')
    const { data, pagination } = await paged(found, { page, limit })
    return { data: data.map(asSummary), pagination }
  },

  async get({ caller, db, input }) {
    return runById(db, caller, input.runId)
  },

  async run(call) {
    const { caller, db, input, audit } = call
    const automation = await changeableAutomation(call, input.id)
    const deviceIds = await namedDevices(call, automation)
    const { id, name, orgId, partnerId, status } = automation
    if (!input.dryRun && status !== 'enabled') throw conflict(`The automation is not enabled: ${status}`)
    const runId = randomUUID()
    if (input.dryRun) await storeDryRun(call, automation, runId, deviceIds)
    else
      await db
        .insertInto('automationRuns')
        .values({
          ...{ id: runId, automationId: id, partnerId, orgId, triggeredBy: 'manual', triggerKey: `manual:${runId}` },
          ...{ deviceIds: deviceIds === null ? null : [...deviceIds], requestedBy: caller.userId },
        })
        .execute()
    audit({
      ...{ action: input.dryRun ? 'automation.dry_run' : 'automation.run', target: id, name, orgId, partnerId },
      details: { runId, triggeredBy: 'manual', ...(deviceIds === null ? {} : { deviceIds }) },
    })
    return runById(db, caller, runId)
  },

  trigger: triggerRun,
})

/** The devices that the request names. @throws VALIDATION_ERROR for one that does not exist here */
async function namedDevices({ db, caller, input }: Call<{ deviceIds?: string[] | undefined }>, automation: Automation) {
  const { deviceIds } = input
  if (deviceIds === undefined) return null
  const named = [...new Set(deviceIds)]
  const found = await db
    .selectFrom('devices')
    .select('devices.id')
    .where(visibleDevices(caller))
    .where(isOneOf('devices.id', named))
    .where('devices.partnerId', '=', automation.partnerId)
    .$if(automation.orgId !== null, (query) => query.where('devices.orgId', '=', automation.orgId ?? ''))
    .execute()
  const known = new Set(found.map(({ id }) => id))
  const unknown = named.find((id) => !known.has(id))
  if (unknown !== undefined) throw invalid(`deviceIds: ${unknown} is no device of this automation`)
  return named
}
