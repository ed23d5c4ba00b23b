import type pg from 'pg'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { changeEvents, type DevicePlace } from './device-changes.ts'

const storeAgents = {
  name: 'store-reported-agents',
  text: `UPDATE devices d SET agent_version = u.version, agent_protocol = u.protocol, capabilities = u.capabilities
    FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::int[], $5::text[]) AS u(device_id, version, at_ms, protocol, capabilities)
    WHERE d.id = u.device_id AND (d.agent_version, d.agent_protocol, d.capabilities) IS DISTINCT FROM (u.version, u.protocol, u.capabilities)
    RETURNING d.id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", d.site_id AS "siteId", u.at_ms AS "atMs"`,
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
  const { rows } = await client.query<DevicePlace>({
    ...storeAgents,
    values: [
      hellos.map((hello) => hello.deviceId),
      hellos.map((hello) => hello.agentVersion),
      hellos.map((hello) => hello.atMs),
      hellos.map((hello) => hello.protocol),
      hellos.map((hello) => hello.capabilities),
    ],
  })
  return changeEvents('agentVersion', rows)
}
