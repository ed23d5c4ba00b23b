import type { Db } from '@muster/db/database.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import { conflict, invalid, notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { type Call, implement } from '../../../operation.ts'
import { publishEvents } from '../../../platform/live-events/index.ts'
import { reachesNothing } from '../../../tenancy/tenancy/index.ts'
import { requireRecipients } from '../../alerts/index.ts'
import { setChannelUses } from '../../channels/index.ts'
import { changeableMonitor, monitorById, type StoredMonitor, visibleMonitors } from '../monitor.queries.ts'
import type { AlertCondition } from '../words.contract.ts'
import { monitorAlerts as contract, type MonitorAlert } from './alerts.contract.ts'
import { endRules, type StoredAlertRule } from './judge-alerts.ts'

const asAlertRule = ({ counted: _, firing: __, ...rule }: StoredAlertRule): MonitorAlert => rule

const limits: Readonly<Partial<Record<AlertCondition, { readonly most: number; readonly unit: string }>>> = {
  responseTime: { most: 60_000, unit: 'milliseconds' },
  certificate: { most: 365, unit: 'days' },
}

/** @throws VALIDATION_ERROR when the threshold does not fit the condition */
function requireThreshold(condition: AlertCondition, threshold: number | null): void {
  const limit = limits[condition]
  if (limit === undefined && threshold !== null) throw invalid(`threshold: ${condition} has none`)
  if (limit === undefined) return
  if (threshold === null) throw invalid(`threshold: is required for ${condition}, in ${limit.unit}`)
  if (threshold > limit.most) throw invalid(`threshold: must be at most ${limit.most} ${limit.unit}`)
}

/** @throws VALIDATION_ERROR for certificates of monitors that see none */
function requireTls(condition: AlertCondition, { type, target }: Pick<StoredMonitor, 'type' | 'target'>): void {
  if (condition === 'certificate' && !(type === 'http' && target.startsWith('https:')))
    throw invalid('condition: certificate needs an http monitor with an https target')
}

/** @throws CONFLICT when the monitor has the same rule: one outage would raise two alerts */
async function requireOther(
  db: Db,
  monitorId: string,
  { condition, threshold }: Pick<StoredAlertRule, 'condition' | 'threshold'>,
): Promise<void> {
  const same = await db
    .selectFrom('monitorAlerts')
    .select('id')
    .where('monitorId', '=', monitorId)
    .where('condition', '=', condition)
    .where('threshold', 'is not distinct from', threshold)
    .executeTakeFirst()
  if (same !== undefined) throw conflict(`The monitor has an alert on ${condition} already. Change that one`)
}

/** Notes the channels that a rule, which then cannot be deleted. */
export const noteChannels = (
  db: Db,
  { id, partnerId, orgId }: Pick<StoredAlertRule, 'id' | 'partnerId' | 'orgId'>,
  channelIds: readonly string[],
): Promise<void> => setChannelUses(db, { usedBy: `monitor-alert:${id}`, partnerId, orgId }, channelIds)

/** Rules of monitors within reach. */
const visibleRules = (db: Db, caller: Call['caller']) =>
  db
    .selectFrom('monitorAlerts')
    .innerJoin('monitors', 'monitors.id', 'monitorAlerts.monitorId')
    .where(visibleMonitors(caller))

/** A rule within reach that the caller may change, with its monitor locked. */
async function changeableRule(call: Pick<Call, 'db' | 'caller'>, id: string): Promise<StoredAlertRule> {
  const place = await visibleRules(call.db, call.caller)
    .where('monitorAlerts.id', '=', id)
    .select('monitorAlerts.monitorId')
    .executeTakeFirst()
  if (place === undefined) throw notFound('Monitor alert')
  await changeableMonitor(call, place.monitorId)
  const found = await call.db
    .selectFrom('monitorAlerts')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (found === undefined) throw notFound('Monitor alert')
  return found
}

export default implement(contract, {
  async listAll({ caller, input, db }) {
    const { page, limit, orgId, condition } = input
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const found = visibleRules(db, caller)
      .$if(orgId !== undefined, (query) => query.where('monitorAlerts.orgId', '=', orgId ?? ''))
      .$if(condition !== undefined, (query) => query.where('monitorAlerts.condition', '=', condition ?? 'offline'))
    const ordered = found.selectAll('monitorAlerts').orderBy('monitorAlerts.createdAt').orderBy('monitorAlerts.id')
    const { data, pagination } = await paged(ordered, { page, limit })
    return { data: data.map(asAlertRule), pagination }
  },

  async list({ caller, input, db }) {
    const { monitorId, page, limit } = input
    await monitorById(db, caller, monitorId)
    const found = db.selectFrom('monitorAlerts').selectAll().where('monitorId', '=', monitorId)
    const { data, pagination } = await paged(found.orderBy('createdAt').orderBy('id'), { page, limit })
    return { data: data.map(asAlertRule), pagination }
  },

  async create(call) {
    const { db, audit, input } = call
    const monitor = await changeableMonitor(call, input.monitorId)
    const { id: monitorId, partnerId, orgId, name } = monitor
    requireTls(input.condition, monitor)
    requireThreshold(input.condition, input.threshold)
    await requireRecipients(call, { partnerId, orgId }, input)
    await requireOther(db, monitorId, input)
    const made = await db
      .insertInto('monitorAlerts')
      .values({ ...input, monitorId, partnerId, orgId })
      .returningAll()
      .executeTakeFirstOrThrow()
    await noteChannels(db, made, made.channelIds)
    audit({ target: made.id, name, orgId, partnerId, after: asAlertRule(made) })
    return asAlertRule(made)
  },

  async update(call) {
    const { db, audit, services, afterCommit } = call
    const { id, ...changes } = call.input
    const before = await changeableRule(call, id)
    const { partnerId, orgId } = before
    requireThreshold(before.condition, changes.threshold === undefined ? before.threshold : changes.threshold)
    const { channelIds } = changes
    const policyId = changes.policyId === before.policyId ? null : changes.policyId
    await requireRecipients(call, { partnerId, orgId }, { channelIds, policyId })
    const isOff = changes.enabled === false
    const after = await db
      .updateTable('monitorAlerts')
      .set({ ...changes, ...(isOff ? { firing: false, counted: 0 } : {}), updatedAt: sql<string>`now()` })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await noteChannels(db, after, after.channelIds)
    if (isOff) {
      const events = await endRules(call, [before], 'rule_disabled')
      afterCommit(() => publishEvents(services.redis, events))
    }
    audit({
      target: id,
      name: before.condition,
      orgId,
      partnerId,
      before: asAlertRule(before),
      after: asAlertRule(after),
    })
    return asAlertRule(after)
  },

  async remove(call) {
    const { db, audit, services, afterCommit } = call
    const before = await changeableRule(call, call.input.id)
    const events = await endRules(call, [before], 'rule_deleted')
    const { numDeletedRows } = await db.deleteFrom('monitorAlerts').where('id', '=', before.id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Monitor alert')
    await noteChannels(db, before, [])
    afterCommit(() => publishEvents(services.redis, events))
    const { partnerId, orgId } = before
    audit({ target: before.id, name: before.condition, orgId, partnerId, before: asAlertRule(before) })
    return { success: true as const }
  },
})
