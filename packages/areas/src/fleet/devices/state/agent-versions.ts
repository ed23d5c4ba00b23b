import type pg from 'pg'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { changeEvents, type DevicePlace } from './device-changes.ts'

const storeVersions = {
  name: 'store-versions',
  text: `UPDATE devices d SET agent_version = u.version, agent_protocol = u.protocol
    FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::int[]) AS u(device_id, version, at_ms, protocol)
    WHERE d.id = u.device_id AND (d.agent_version IS DISTINCT FROM u.version OR d.agent_protocol IS DISTINCT FROM u.protocol)
    RETURNING d.id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", d.site_id AS "siteId", u.at_ms AS "atMs"`,
}

/** What an agent reported when it connected. */
export interface ReportedVersion {
  readonly deviceId: string
  readonly agentVersion: string
  readonly protocol: number
  readonly atMs: number
}

/** Stores the version of each agent and of its protocol. */
export async function storeAgentVersions(
  client: pg.PoolClient,
  hellos: readonly ReportedVersion[],
): Promise<PartnerEvent[]> {
  if (hellos.length === 0) return []
  const { rows } = await client.query<DevicePlace>({
    ...storeVersions,
    values: [
      hellos.map((hello) => hello.deviceId),
      hellos.map((hello) => hello.agentVersion),
      hellos.map((hello) => hello.atMs),
      hellos.map((hello) => hello.protocol),
    ],
  })
  return changeEvents('agentVersion', rows)
}
