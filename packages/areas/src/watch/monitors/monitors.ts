import { randomUUID } from 'node:crypto'
import { isOneOf } from '@muster/db/conditions.ts'
import type { Db } from '@muster/db/database.ts'
import { emptyPage, paged } from '@muster/db/page.ts'
import { denied, invalid, notFound } from '@muster/kit/errors.ts'
import { isOtherOrigin } from '@muster/kit/network/outgoing.ts'
import { seal } from '@muster/kit/secrets/sealed.ts'
import { type SqlBool, sql } from 'kysely'
import { containing, visibleDevices } from '../../fleet/devices/index.ts'
import { type Call, implement } from '../../operation.ts'
import { publishEvents } from '../../platform/live-events/index.ts'
import { reachesNothing, requireLocation, tenantOf } from '../../tenancy/tenancy/index.ts'
import { noteChannels } from './alerts/alerts.ts'
import { endRulesOf } from './alerts/judge-alerts.ts'
import { askProbes, probesOf, shownAnswers, storeAnswers, triersOf } from './check-now.ts'
import { beginSpans, changeStatuses } from './checks/change-status.ts'
import { type Config, configured, requireMethod, SealedFields, type Secrets, storedConfig } from './checks/config.ts'
import { resultsOf } from './checks/results.ts'
import { dashboardOf } from './dashboard.ts'
import {
  asMonitors,
  changeableMonitor,
  monitorById,
  type StoredMonitor,
  sealedFor,
  secretsOf,
  visibleMonitors,
} from './monitor.queries.ts'
import { monitors as contract, type Monitor } from './monitors.contract.ts'
import { assignMonitors, lockOrganizations } from './probes/assign-monitors.ts'

const dayMs = 86_400_000
const longest = { raw: dayMs, '5m': 31 * dayMs, '1h': 400 * dayMs } as const

async function shown({ db }: Pick<Call, 'db'>, monitor: StoredMonitor): Promise<Monitor> {
  const [found] = await asMonitors(db, [monitor])
  if (found === undefined) throw notFound('Monitor')
  return found
}

/** What audit records say: the sealed fields stay out. */
const audited = ({ secrets: _, wantsProbes: __, ...monitor }: StoredMonitor) => monitor

interface Place {
  readonly orgId: string
  readonly siteId: string | null
  readonly deviceId: string | null
}

/** @throws VALIDATION_ERROR for a site or device that the organization does not have, or that the caller does not see */
async function requirePlace(db: Db, caller: Call['caller'], place: Place, changed: Partial<Place>): Promise<void> {
  if (caller.deviceGroupIds !== null) throw denied('You are limited to device groups: monitors belong to sites')
  const { orgId, siteId, deviceId } = place
  const unknown = invalid(`siteId: ${siteId} does not exist`)
  if (changed.orgId !== undefined || changed.siteId !== undefined)
    await requireLocation(db, caller, { orgId, siteId }, { unknown, outOfReach: unknown })
  if (deviceId === null || (changed.deviceId === undefined && changed.siteId === undefined)) return
  const device = await db
    .selectFrom('devices')
    .select('devices.siteId')
    .where('devices.id', '=', deviceId)
    .where('devices.orgId', '=', orgId)
    .where('devices.lifecycle', '!=', 'decommissioned')
    .where(visibleDevices(caller))
    .executeTakeFirst()
  if (device === undefined) throw invalid(`deviceId: ${deviceId} does not exist`)
  if (siteId !== null && device.siteId !== siteId) throw invalid(`deviceId: ${deviceId} belongs to another site`)
}

type Pace = Pick<StoredMonitor, 'intervalSeconds' | 'timeoutSeconds' | 'degradedMs' | 'probes' | 'deviceId'>

/** @throws VALIDATION_ERROR for values that contradict each other, if one of them is given */
function requirePace(monitor: Pace, given: { readonly [Name in keyof Pace]?: Pace[Name] | undefined }): void {
  const { intervalSeconds, timeoutSeconds, degradedMs, probes, deviceId } = monitor
  const isGiven = (...names: (keyof Pace)[]) => names.some((name) => given[name] !== undefined)
  if (isGiven('timeoutSeconds', 'intervalSeconds') && timeoutSeconds > intervalSeconds)
    throw invalid('timeoutSeconds: must not be above intervalSeconds')
  if (isGiven('degradedMs', 'timeoutSeconds') && degradedMs !== null && degradedMs >= timeoutSeconds * 1_000)
    throw invalid('degradedMs: must be below timeoutSeconds')
  if (isGiven('probes', 'deviceId') && deviceId !== null && probes > 1)
    throw invalid('probes: must be 1 with deviceId, which is the only probe')
}

interface Changes extends Partial<Pace & Place> {
  readonly target?: string | undefined
  readonly config?: Config | undefined
}

/**
 * The monitor as changes would make it. `secrets` are those to seal, undefined when the sealed ones stay.
 * @throws VALIDATION_ERROR, FORBIDDEN
 */
async function changed(call: Pick<Call, 'caller' | 'services'>, db: Db, before: StoredMonitor, changes: Changes) {
  const { config: _, ...plain } = changes
  const given = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined))
  const after: StoredMonitor = { ...before, ...given }
  await requirePlace(db, call.caller, after, changes)
  requirePace(after, changes)
  const { config, secrets: asked } = configured({
    type: after.type,
    target: after.target,
    config: changes.config ?? before.config,
    isPinned: after.deviceId !== null,
  })
  requireMethod(call.caller, config)
  const isSealed = before.secrets !== null && (asked?.headers === undefined || asked.body === undefined)
  if (isSealed && isOtherOrigin(before.target, after.target)) requireOwnSecrets(before, asked)
  const secrets = asked === undefined ? undefined : merged(secretsOf(call.services.keyring, before), asked)
  const stored = storedConfig(after.type, config, secrets, before.config)
  return { monitor: { ...after, config: stored }, secrets }
}

/** @throws VALIDATION_ERROR when headers or the body for one server would be sent to another */
function requireOwnSecrets(before: StoredMonitor, given: Secrets | undefined): void {
  const { headerNames, hasBody } = SealedFields.parse(before.config)
  const headers = given?.headers === undefined && headerNames.length > 0
  if (!headers && !(given?.body === undefined && hasBody)) return
  throw invalid(`config.${headers ? 'headers' : 'body'}: is required again, because the target is another server`)
}

/** Fields that a request leaves out stay. */
const merged = (known: Secrets, given: Secrets): Secrets => ({
  headers: given.headers ?? known.headers,
  body: given.body === undefined ? known.body : given.body,
})

export default implement(contract, {
  async list({ caller, input, db }) {
    const { page, limit, orgId, siteId, type, status, search } = input
    if (reachesNothing(caller)) return emptyPage({ page, limit })
    const found = db
      .selectFrom('monitors')
      .where(visibleMonitors(caller))
      .$if(orgId !== undefined, (query) => query.where('monitors.orgId', '=', orgId ?? ''))
      .$if(siteId !== undefined, (query) => query.where('monitors.siteId', '=', siteId ?? ''))
      .$if(type !== undefined, (query) => query.where(isOneOf('monitors.type', type ?? [])))
      .$if(status !== undefined, (query) => query.where(isOneOf('monitors.status', status ?? [])))
      .$if(search !== undefined, (query) =>
        query.where(
          sql<SqlBool>`(monitors.name ILIKE ${containing(search ?? '')} OR monitors.target ILIKE ${containing(search ?? '')})`,
        ),
      )
    const ordered = found.selectAll('monitors').orderBy('monitors.name').orderBy('monitors.id')
    const { data, pagination } = await paged(ordered, { page, limit })
    return { data: await asMonitors(db, data), pagination }
  },

  async create(call) {
    const { caller, db, audit, services } = call
    const { orgId, ...input } = call.input
    const tenant = await tenantOf(db, caller, { orgId })
    if (tenant.orgId === null) throw invalid('orgId: is required')
    const place = { orgId: tenant.orgId, partnerId: tenant.partnerId }
    await requirePlace(db, caller, { ...input, ...place }, { ...input, ...place })
    requirePace(input, input)
    const { config, secrets } = configured({ ...input, isPinned: input.deviceId !== null })
    requireMethod(caller, config)
    const id = randomUUID()
    const made = await db
      .insertInto('monitors')
      .values({
        ...input,
        ...place,
        id,
        config: JSON.stringify(storedConfig(input.type, config, secrets)),
        secrets: secrets === undefined ? null : seal(services.keyring, JSON.stringify(secrets), sealedFor(id)),
        status: input.enabled ? 'unknown' : 'paused',
        statusReason: input.enabled ? 'not_checked' : null,
        createdBy: caller.userId,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await beginSpans(db, [{ monitor: made, status: made.status, reason: made.statusReason }])
    await db
      .insertInto('monitorAlerts')
      .values({ monitorId: id, ...place, condition: 'offline', severity: 'high' })
      .execute()
    audit({ target: id, name: made.name, ...place, after: audited(made) })
    return shown(call, made)
  },

  async dashboard({ caller, input, db }) {
    return dashboardOf(db, caller, input)
  },

  async get(call) {
    return shown(call, await monitorById(call.db, call.caller, call.input.id))
  },

  async update(call) {
    const { db, audit, services, afterCommit } = call
    const { id, ...changes } = call.input
    await lockOrganizations(db, [(await monitorById(db, call.caller, id)).orgId])
    const before = await changeableMonitor(call, id)
    const { monitor, secrets } = await changed(call, db, before, changes)
    const { config: _, ...fields } = changes
    const after = await db
      .updateTable('monitors')
      .set({
        ...fields,
        config: JSON.stringify(monitor.config),
        ...(secrets === undefined ? {} : { secrets: seal(services.keyring, JSON.stringify(secrets), sealedFor(id)) }),
        updatedAt: sql<string>`now()`,
        wantsProbes: true,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const isOther = after.target !== before.target || JSON.stringify(after.config) !== JSON.stringify(before.config)
    const devices = await db.selectFrom('monitorProbes').select('deviceId').where('monitorId', '=', id).execute()
    if (!after.enabled) await db.deleteFrom('monitorProbes').where('monitorId', '=', id).execute()
    else if (isOther)
      await db
        .updateTable('monitorProbes')
        .set({ verdict: 'unknown', failing: 0, reason: null, unableUntil: null })
        .where('monitorId', '=', id)
        .execute()
    // What was seen says nothing about another target, nor while nothing is checked.
    if (before.enabled !== after.enabled || (after.enabled && isOther)) {
      const status = after.enabled ? 'unknown' : 'paused'
      await changeStatuses(db, [{ monitor: before, status, reason: after.enabled ? 'not_checked' : null }])
    }
    if (isOther || !after.enabled) {
      const events = await endRulesOf(call, id, after.enabled ? 'rule_changed' : 'rule_disabled')
      afterCommit(() => publishEvents(services.redis, events))
    }
    await assignMonitors(
      db,
      devices.map(({ deviceId }) => deviceId),
    )
    const { orgId, partnerId, name } = after
    audit({ target: id, name, orgId, partnerId, before: audited(before), after: audited(after) })
    return shown(call, await monitorById(db, call.caller, id))
  },

  async remove(call) {
    const { db, audit, services, afterCommit } = call
    const { id } = call.input
    await lockOrganizations(db, [(await monitorById(db, call.caller, id)).orgId])
    const before = await changeableMonitor(call, id)
    const events = await endRulesOf(call, id, 'rule_deleted')
    const devices = await db.selectFrom('monitorProbes').select('deviceId').where('monitorId', '=', id).execute()
    const rules = await db
      .selectFrom('monitorAlerts')
      .select(['id', 'partnerId', 'orgId'])
      .where('monitorId', '=', id)
      .execute()
    for (const rule of rules) await noteChannels(db, rule, [])
    const { numDeletedRows } = await db.deleteFrom('monitors').where('id', '=', id).executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Monitor')
    await assignMonitors(
      db,
      devices.map(({ deviceId }) => deviceId),
    )
    afterCommit(() => publishEvents(services.redis, events))
    const { orgId, partnerId, name } = before
    audit({ target: id, name, orgId, partnerId, before: audited(before) })
    return { success: true as const }
  },

  async check(call) {
    const { id } = call.input
    const asked = await call.write(async (db) => {
      const monitor = await changeableMonitor({ db, caller: call.caller }, id)
      requireMethod(call.caller, monitor.config)
      const deviceIds = await probesOf(db, monitor)
      call.audit({ target: id, name: monitor.name, orgId: monitor.orgId, partnerId: monitor.partnerId })
      return { monitor, secrets: secretsOf(call.services.keyring, monitor), deviceIds }
    })
    const answered = await askProbes(call, asked, asked.deviceIds)
    await storeAnswers(call, answered)
    return shownAnswers(answered)
  },

  async test(call) {
    const { id, ...changes } = call.input
    const asked = await call.write(async (db) => {
      const before = await changeableMonitor({ db, caller: call.caller }, id)
      const { monitor, secrets = secretsOf(call.services.keyring, before) } = await changed(call, db, before, changes)
      const deviceIds = await triersOf(db, monitor)
      call.audit({ target: id, name: before.name, orgId: before.orgId, partnerId: before.partnerId })
      return { monitor, secrets, deviceIds }
    })
    return shownAnswers(await askProbes(call, asked, asked.deviceIds))
  },

  async results({ caller, input, db, services }) {
    const { id, resolution } = input
    await monitorById(db, caller, id)
    const to = input.to ?? new Date(services.clock.now() + 1).toISOString()
    const from = input.from ?? new Date(Date.parse(to) - dayMs).toISOString()
    const length = Date.parse(to) - Date.parse(from)
    if (length <= 0) throw invalid('from: must be before to')
    if (length > longest[resolution])
      throw invalid(
        `from: ${resolution} results span at most ${longest[resolution] / dayMs} days. Use a coarser resolution`,
      )
    return { resolution, data: await resultsOf(db, id, { from, to, resolution }) }
  },
})
