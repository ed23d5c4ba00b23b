// Devices that did not return after a maintenance window: one alert per window and organization.
import { handleOn } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { follower } from '../../../background/follower.ts'
import { maintenanceNotReturned } from '../../../control/maintenance/maintenance-events.contract.ts'
import type { StoredEvent } from '../../../platform/events/event-type.contract.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { raiseAlerts } from '../lifecycle/raise.ts'

const namedMax = 5

interface Missing {
  readonly orgId: string
  readonly deviceIds: string[]
  readonly hostnames: string[]
}

/** @returns live events, to publish after the commit */
export async function raiseForMissing(client: pg.PoolClient, events: readonly StoredEvent[]): Promise<PartnerEvent[]> {
  const db = handleOn(client)
  const live: PartnerEvent[] = []
  for (const event of events) {
    const { occurrenceId, windowId, name, deviceIds } = maintenanceNotReturned.schema.parse(event.data)
    const { rows } = await sql<Missing>`SELECT d.org_id, array_agg(d.id ORDER BY d.hostname) AS device_ids,
        array_agg(d.hostname ORDER BY d.hostname) AS hostnames
      FROM devices d WHERE d.id = ANY (${deviceIds}::uuid[]) AND d.partner_id = ${event.partnerId}::uuid
      GROUP BY d.org_id`.execute(db)
    const raised = await raiseAlerts(
      db,
      rows.map(({ orgId, deviceIds: missing, hostnames }) => ({
        source: 'maintenance' as const,
        key: `${occurrenceId}:${orgId}`,
        partnerId: event.partnerId,
        orgId,
        severity: 'high' as const,
        title: `${missing.length} ${missing.length === 1 ? 'device' : 'devices'} did not return after ${name}`,
        message: `Online when the maintenance window began, and still offline: ${listOf(hostnames)}`,
        context: { occurrenceId, windowId, deviceIds: missing },
        // When the devices return, a person says that the maintenance is over.
        autoResolve: false,
      })),
    )
    live.push(...raised.events)
  }
  return live
}

const listOf = (names: readonly string[]): string => {
  const rest = names.length - namedMax
  return `${names.slice(0, namedMax).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

export const returnAlerts = follower({
  name: 'alert-returns',
  types: [maintenanceNotReturned],
  batchMax: 50,
  handle: async (client, events) => ({ events: await raiseForMissing(client, events) }),
})
