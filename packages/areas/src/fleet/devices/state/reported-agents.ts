import type pg from 'pg'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { changeEvents, type DevicePlace } from './device-changes.ts'
import { keepChanges } from './kept-events.ts'

const storeAgents = {
  name: 'store-reported-agents',
  text: `UPDATE devices d SET agent_version = u.version, agent_protocol = u.protocol, capabilities = u.capabilities
    FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::int[], $5::text[]) AS u(device_id, version, at_ms, protocol, capabilities)
      JOIN devices old ON old.id = u.device_id
    WHERE d.id = old.id AND (d.agent_version, d.agent_protocol, d.capabilities) IS DISTINCT FROM (u.version, u.protocol, u.capabilities)
    RETURNING d.id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", d.site_id AS "siteId", u.at_ms AS "atMs",
      old.agent_version IS NOT NULL AND old.agent_version <> u.version AS "isOther"`,
}

/** What an agent reported when it connected. */
export interface ReportedAgent {
  readonly deviceId: string
  readonly agentVersion: string
  readonly protocol: number
  /** Null when it did not say what it can do. */
  readonly capabilities: string | null
  readonly atMs: number
}

/** Stores the version of each agent and of its protocol, and what it can do. */
export async function storeReportedAgents(
  client: pg.PoolClient,
  hellos: readonly ReportedAgent[],
): Promise<PartnerEvent[]> {
  if (hellos.length === 0) return []
  const { rows } = await client.query<DevicePlace & { readonly isOther: boolean }>({
    ...storeAgents,
    values: [
      hellos.map((hello) => hello.deviceId),
      hellos.map((hello) => hello.agentVersion),
      hellos.map((hello) => hello.atMs),
      hellos.map((hello) => hello.protocol),
      hellos.map((hello) => hello.capabilities),
    ],
  })
  const others = rows.filter(({ isOther }) => isOther).map(({ deviceId }) => deviceId)
  await keepChanges(client, others, ['agentVersion'])
  return changeEvents('agentVersion', rows)
}
