import { isOneOf } from '@muster/db/conditions.ts'
import { asCaller, asSystem } from '@muster/db/database.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import { AppError, invalid, requireInOrder } from '@muster/kit/errors.ts'
import { type SqlBool, sql } from 'kysely'
import { watchedGroupsOf } from '../../control/live/index.ts'
import { containing, maySee } from '../../fleet/devices/index.ts'
import { type Call, implement } from '../../operation.ts'
import { liveEventsOf, publishEvents } from '../../platform/live-events/index.ts'
import { reachesNothing, requireOrganizationsInReach, requireWorkingOrganization } from '../../tenancy/tenancy/index.ts'
import { AlertEvent, alerts as contract } from './alerts.contract.ts'
import { alertById, shownAlert, shownAlerts, visibleAlerts } from './alerts.queries.ts'
import { explanationOf, timelineOf } from './explanation.ts'
import { type Action, act, changeNames, endOf, nameOf, refusalOf } from './lifecycle/actions.ts'
import { emitChanges, type StoredAlert } from './lifecycle/stored-alert.ts'
import { alertEventKinds } from './live-alerts.contract.ts'
import { summaryOf } from './summary.ts'

const severityOrder = sql`array_position(ARRAY['info', 'low', 'medium', 'high', 'critical'], alerts.severity)`
const orders = { openedAt: sql`alerts.opened_at`, severity: severityOrder, lastChangedAt: sql`alerts.last_changed_at` }

const auditOf = { acknowledge: 'alert.acknowledge', resolve: 'alert.resolve', suppress: 'alert.suppress' } as const

/** Applies an action to locked alerts, with its audit records and events. */
async function perform(call: Call, found: readonly StoredAlert[], action: Action): Promise<StoredAlert[]> {
  const { caller, db, services, audit, afterCommit } = call
  if (found.length === 0) return []
  const actor = { id: caller.userId, name: await nameOf(db, caller.userId) }
  const changed = await act(
    db,
    found.map(({ id }) => id),
    action,
    actor,
  )
  const before = new Map(found.map((alert) => [alert.id, alert.status]))
  for (const alert of changed)
    audit({
      action: auditOf[action.kind],
      target: alert.id,
      name: alert.title,
      orgId: alert.orgId,
      partnerId: alert.partnerId,
      before: { status: before.get(alert.id) },
      after: { status: alert.status },
    })
  const events = await emitChanges(
    db,
    changed.map((alert) => ({ change: changeNames[action.kind], alert })),
  )
  afterCommit(() => publishEvents(services.redis, events))
  return changed
}

async function performOne(call: Call, id: string, action: Action) {
  const found = await alertById(call.db, call.caller, id, true)
  await requireWorkingOrganization(call.db, call.caller, found.orgId)
  const refused = await refusalOf(call.db, found, action)
  if (refused !== null) throw refused
  const [alert] = await perform(call, [found], action)
  return shownAlert(call.db, call.caller, alert ?? found)
}

/** Why nothing in organizations may be changed, for those where it may not. */
async function suspensionsOf({ db, caller }: Call, orgIds: Iterable<string>): Promise<Map<string, AppError>> {
  const refused = new Map<string, AppError>()
  for (const orgId of new Set(orgIds)) {
    try {
      await requireWorkingOrganization(db, caller, orgId)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refused.set(orgId, error)
    }
  }
  return refused
}

export default implement(contract, {
  async list({ caller, input, db }) {
    const { page, limit, sort, sortDir, status, severity, source, orgId, siteId, deviceId, ruleId, groupId } = input
    const { search, from, to } = input
    requireInOrder(input)
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const found = db
      .selectFrom('alerts')
      .where(visibleAlerts(caller))
      .$if(status !== undefined, (query) => query.where(isOneOf('alerts.status', status ?? [])))
      .$if(severity !== undefined, (query) => query.where(isOneOf('alerts.severity', severity ?? [])))
      .$if(source !== undefined, (query) => query.where(isOneOf('alerts.source', source ?? [])))
      .$if(orgId !== undefined, (query) => query.where('alerts.orgId', '=', orgId ?? ''))
      .$if(siteId !== undefined, (query) => query.where('alerts.siteId', '=', siteId ?? ''))
      .$if(deviceId !== undefined, (query) => query.where('alerts.deviceId', '=', deviceId ?? ''))
      .$if(ruleId !== undefined, (query) => query.where('alerts.ruleId', '=', ruleId ?? ''))
      .$if(groupId !== undefined, (query) => query.where('alerts.groupId', '=', groupId ?? ''))
      .$if(search !== undefined, (query) =>
        query.where(
          sql<SqlBool>`(alerts.title ILIKE ${containing(search ?? '')} OR alerts.message ILIKE ${containing(search ?? '')})`,
        ),
      )
      .$if(from !== undefined, (query) => query.where('alerts.openedAt', '>=', from ?? ''))
      .$if(to !== undefined, (query) => query.where('alerts.openedAt', '<', to ?? ''))
    const ordered = found.selectAll('alerts').orderBy(orders[sort], sortDir).orderBy('alerts.id', sortDir)
    const { data, pagination } = await paged(ordered, { page, limit })
    return { data: await shownAlerts(db, caller, data), pagination }
  },

  async summary({ caller, input, db }) {
    return summaryOf(db, caller, input)
  },

  async *events({ caller, input, services, request }) {
    const { orgIds = [] } = input
    if (orgIds.length > 0)
      await asCaller(services.people, caller, 'read', (db) => requireOrganizationsInReach(db, caller, orgIds))
    const isChosen = (ids: readonly string[] | undefined, id: string | null) =>
      ids === undefined || (id !== null && ids.includes(id))
    const left = new AbortController()
    const signal = AbortSignal.any([request.signal, left.signal])
    let resync = () => {}
    try {
      const inGroups =
        caller.deviceGroupIds && (await watchedGroupsOf(services).watch(caller.deviceGroupIds, signal, () => resync()))
      const events = await liveEventsOf(services).watch({
        kinds: alertEventKinds,
        partnerId: caller.scope === 'system' ? null : caller.partnerId,
        signal,
        accepts: ({ orgId, siteId, deviceId }) =>
          maySee(caller, { orgId, siteId, deviceId: deviceId ?? '' }, inGroups) &&
          isChosen(input.orgIds, orgId) &&
          isChosen(input.siteIds, siteId) &&
          isChosen(input.deviceIds, deviceId),
        begins: (send) => {
          resync = send
        },
      })
      yield { type: 'resync' as const, at: services.clock.now() }
      for await (const event of events) {
        const known = AlertEvent.safeParse(event)
        if (known.success) yield known.data
      }
    } finally {
      left.abort()
    }
  },

  async get({ caller, input, db, services }) {
    const alert = await alertById(db, caller, input.id)
    const shown = await shownAlert(db, caller, alert)
    // Groups and deliveries of the whole partner are hidden from its organizations. What became of this alert is not.
    return asSystem(services.system, async (system) => {
      const timeline = await timelineOf(system, alert.id)
      return { ...shown, timeline, explanation: await explanationOf(system, alert, timeline) }
    })
  },

  async acknowledge(call) {
    const { id, note = null, until } = call.input
    return performOne(call, id, { kind: 'acknowledge', note, until: endOf({ until }, call.services.clock.now()) })
  },

  async resolve(call) {
    const { id, note = null } = call.input
    return performOne(call, id, { kind: 'resolve', note })
  },

  async suppress(call) {
    const { id, reason = null, ...end } = call.input
    return performOne(call, id, { kind: 'suppress', reason, until: endOf(end, call.services.clock.now()) })
  },

  async bulk(call) {
    const { caller, db, input } = call
    const action = actionOf(input, call.services.clock.now())
    const found = await db
      .selectFrom('alerts')
      .selectAll('alerts')
      .where(isOneOf('alerts.id', input.ids))
      .where(visibleAlerts(caller))
      .orderBy('alerts.id')
      .forUpdate()
      .execute()
    const byId = new Map(found.map((alert) => [alert.id, alert]))
    const suspensions = await suspensionsOf(
      call,
      found.map(({ orgId }) => orgId),
    )
    const skipped: { id: string; reason: 'NOT_FOUND' | 'CONFLICT'; message: string }[] = []
    const taken: StoredAlert[] = []
    for (const id of new Set(input.ids)) {
      const alert = byId.get(id)
      const refused =
        alert === undefined
          ? new AppError('NOT_FOUND', 'Alert not found')
          : (suspensions.get(alert.orgId) ?? (await refusalOf(db, alert, action)))
      if (alert !== undefined && refused === null) taken.push(alert)
      else if (refused !== null)
        skipped.push({ id, reason: alert === undefined ? 'NOT_FOUND' : 'CONFLICT', message: refused.message })
    }
    const changed = await perform(call, taken, action)
    return { changed: changed.map(({ id }) => id), skipped }
  },
})

interface BulkInput {
  readonly action: Action['kind']
  readonly note?: string | undefined
  readonly reason?: string | undefined
  readonly until?: string | undefined
  readonly durationMinutes?: number | undefined
}

function actionOf(given: BulkInput, nowMs: number): Action {
  const { action } = given
  const note = given.note ?? null
  const reason = given.reason ?? null
  const until = endOf(given, nowMs)
  if (action === 'suppress') return { kind: action, reason: reason ?? note, until }
  if (reason !== null) throw invalid('reason: only of suppress. Use note')
  if (action === 'acknowledge') return { kind: action, note, until }
  if (until !== null) throw invalid('until: an alert is resolved without end')
  return { kind: action, note }
}
