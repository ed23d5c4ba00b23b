import type pg from 'pg'
import { logInventoryChanges } from '../../../packages/areas/src/fleet/devices/inventory/inventory-log.ts'
import type { InventoryRecord, Owned } from './decoded.ts'
import { inventoriesPerStatement } from './limits.ts'

/** A device of which something else than its status changed. */
export interface DeviceChange {
  deviceId: string
  orgId: string
  partnerId: string
  siteId: string | null
  changed: 'inventory' | 'agentVersion' | 'update' | 'watchdog' | 'customFields'
  atMs: number
}

const storeInventory = {
  name: 'store-inventory',
  text: `WITH given AS (
      SELECT * FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
        AS u(device_id, hash, at_ms, hardware, disks, network, software, services, users)
    )
    INSERT INTO device_inventory AS i (device_id, org_id, partner_id, hash, collected_at, hardware, disks, network, software, services, users)
    SELECT g.device_id, d.org_id, d.partner_id, g.hash, to_timestamp(g.at_ms / 1000), g.hardware::jsonb, g.disks::jsonb,
      g.network::jsonb, g.software::jsonb, g.services::jsonb, g.users::jsonb
    FROM given g JOIN devices d ON d.id = g.device_id
    ON CONFLICT (device_id) DO UPDATE SET org_id = excluded.org_id, partner_id = excluded.partner_id, hash = excluded.hash,
      collected_at = excluded.collected_at, hardware = excluded.hardware, disks = excluded.disks, network = excluded.network,
      software = excluded.software, services = excluded.services, users = excluded.users, updated_at = now()
    WHERE i.collected_at <= excluded.collected_at`,
}

const storeFacts = {
  name: 'store-facts',
  text: `UPDATE devices d SET hostname = u.hostname, os_type = u.os_type, os_name = coalesce(u.os_name, d.os_name),
      os_version = coalesce(u.os_version, d.os_version), kernel_version = coalesce(u.kernel_version, d.kernel_version),
      architecture = u.architecture, agent_version = u.agent_version, inventory_hash = u.hash
    FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
      AS u(device_id, hash, at_ms, hostname, os_type, os_name, os_version, kernel_version, architecture, agent_version)
    WHERE d.id = u.device_id
      AND NOT EXISTS (SELECT FROM device_inventory i WHERE i.device_id = u.device_id AND i.collected_at > to_timestamp(u.at_ms / 1000))
    RETURNING d.id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", d.site_id AS "siteId", u.at_ms AS "atMs"`,
}

/** Stores inventories, at most one of each device, and what they say about the device itself. */
export async function storeInventories(
  client: pg.PoolClient,
  records: readonly Owned<InventoryRecord>[],
): Promise<DeviceChange[]> {
  const changes: DeviceChange[] = []
  for (let start = 0; start < records.length; start += inventoriesPerStatement) {
    const slice = records.slice(start, start + inventoriesPerStatement)
    const who = [
      slice.map(({ deviceId }) => deviceId),
      slice.map(({ record }) => record.body.hash),
      slice.map(({ record }) => record.atMs),
    ]
    const lists = (['hardware', 'disks', 'network', 'software', 'services', 'users'] as const).map((part) =>
      slice.map(({ record }) => JSON.stringify(record.body[part])),
    )
    const facts = (
      ['hostname', 'osType', 'osName', 'osVersion', 'kernelVersion', 'architecture', 'agentVersion'] as const
    ).map((fact) => slice.map(({ record }) => record.body.facts[fact] ?? null))
    await logInventoryChanges(client, slice)
    const [, told] = await Promise.all([
      client.query({ ...storeInventory, values: [...who, ...lists] }),
      client.query<Omit<DeviceChange, 'changed'>>({ ...storeFacts, values: [...who, ...facts] }),
    ])
    changes.push(...told.rows.map((row): DeviceChange => ({ ...row, changed: 'inventory' })))
  }
  return changes
}

const storeVersions = {
  name: 'store-versions',
  text: `UPDATE devices d SET agent_version = u.version, agent_protocol = u.protocol
    FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::int[]) AS u(device_id, version, at_ms, protocol)
    WHERE d.id = u.device_id AND (d.agent_version IS DISTINCT FROM u.version OR d.agent_protocol IS DISTINCT FROM u.protocol)
    RETURNING d.id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", d.site_id AS "siteId", u.at_ms AS "atMs"`,
}

/** Notes the version that each agent said it is, and that of the protocol it speaks. */
export async function storeAgentVersions(
  client: pg.PoolClient,
  hellos: readonly { deviceId: string; agentVersion: string; protocol: number; atMs: number }[],
): Promise<DeviceChange[]> {
  if (hellos.length === 0) return []
  const { rows } = await client.query<Omit<DeviceChange, 'changed'>>({
    ...storeVersions,
    values: [
      hellos.map((hello) => hello.deviceId),
      hellos.map((hello) => hello.agentVersion),
      hellos.map((hello) => hello.atMs),
      hellos.map((hello) => hello.protocol),
    ],
  })
  return rows.map((row): DeviceChange => ({ ...row, changed: 'agentVersion' }))
}
