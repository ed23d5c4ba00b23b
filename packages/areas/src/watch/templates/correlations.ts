// Correlations follow from the alerts. They are computed on each read, so they are never out of date.
import { isOneOf } from '@muster/db/conditions.ts'
import { invalid, requireInOrder } from '@muster/kit/errors.ts'
import { isForbiddenAddress } from '@muster/kit/network/outgoing.ts'
import { sql } from 'kysely'
import { type Call, implement } from '../../operation.ts'
import { visibleAlerts } from '../alerts/index.ts'
import { changesBefore } from './changes.queries.ts'
import { type Correlated, correlate, groupsOf } from './correlate.ts'
import { correlations as contract } from './correlations.contract.ts'

/** The latest alerts that are compared with each other. */
const comparedMax = 1_000
const usualWindowMinutes = 60

interface Choice {
  readonly alertIds?: readonly string[] | undefined
  readonly orgId?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

async function alertsOf(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  { alertIds, orgId, from, to }: Choice,
): Promise<Correlated[]> {
  requireInOrder({ from, to })
  const rows = await db
    .selectFrom('alerts')
    .leftJoin('devices', 'devices.id', 'alerts.deviceId')
    .leftJoin('sites', 'sites.id', 'alerts.siteId')
    .leftJoin('deviceState', 'deviceState.deviceId', 'alerts.deviceId')
    .where(visibleAlerts(caller))
    .$if(alertIds !== undefined, (query) => query.where(isOneOf('alerts.id', alertIds ?? [])))
    .$if(orgId !== undefined, (query) => query.where('alerts.orgId', '=', orgId ?? ''))
    .$if(from !== undefined, (query) => query.where('alerts.openedAt', '>=', from ?? ''))
    .$if(from === undefined && alertIds === undefined, (query) =>
      query.where(sql<boolean>`alerts.opened_at > coalesce(${to ?? null}::timestamptz, now()) - interval '24 hours'`),
    )
    .$if(to !== undefined, (query) => query.where('alerts.openedAt', '<=', to ?? ''))
    .select([
      'alerts.id',
      'alerts.orgId',
      'alerts.siteId',
      'alerts.deviceId',
      'devices.hostname',
      'sites.name as siteName',
      'deviceState.remoteAddress',
      sql<number>`(extract(epoch FROM alerts.opened_at) * 1000)::float8`.as('openedMs'),
      sql<boolean>`alerts.status <> 'resolved'`.as('isOpen'),
      sql<boolean>`coalesce(alerts.device_id IS NULL AND alerts.context -> 'conditions' ->> 'kind' = 'siteOffline', false)`.as(
        'isSiteDown',
      ),
    ])
    .orderBy('alerts.openedAt', 'desc')
    .orderBy('alerts.id')
    .limit(comparedMax)
    .execute()
  const alerts = rows.map(
    ({ remoteAddress, ...row }): Correlated => ({ ...row, address: publicAddress(remoteAddress), changes: [] }),
  )
  const changes = await changesBefore(db, caller, alerts)
  return alerts.map((alert) => ({ ...alert, changes: changes.get(alert.id) ?? [] }))
}

/** Devices behind a proxy that Muster does not know, or on this network, share an address without sharing an uplink. */
const publicAddress = (address: string | null): string | null =>
  address === null || isForbiddenAddress(address.replace(/\/64$/, '')) ? null : address

function pageOf<Row>(all: readonly Row[], { page, limit }: { readonly page: number; readonly limit: number }) {
  return { data: all.slice((page - 1) * limit, page * limit), pagination: { page, limit, total: all.length } }
}

export default implement(contract, {
  async list(call) {
    return pageOf(correlate(await alertsOf(call, call.input), usualWindowMinutes), call.input)
  },

  async groups(call) {
    const { status } = call.input
    const groups = groupsOf(await alertsOf(call, call.input), usualWindowMinutes)
    return pageOf(
      groups.filter((group) => status === undefined || group.status === status),
      call.input,
    )
  },

  async analyze(call) {
    const { alertIds, windowMinutes } = call.input
    const alerts = await alertsOf(call, call.input)
    const unknown = alertIds?.find((id) => !alerts.some((alert) => alert.id === id))
    if (unknown !== undefined) throw invalid(`alertIds: ${unknown} does not exist in this time`)
    return { groups: groupsOf(alerts, windowMinutes) }
  },
})
