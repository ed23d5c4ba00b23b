import type { Inventory } from '@muster/wire/messages/inventory.ts'
import type pg from 'pg'
import { type Received, records } from '../../../background/record.ts'
import { deviceChangedEvent } from '../devices-events.contract.ts'
import { changeEvents, type DevicePlace } from '../state/device-changes.ts'
import { aboutDevice, keepEvents } from '../state/kept-events.ts'
import { logInventoryChanges } from './inventory-log.ts'

const inventoriesPerStatement = 50
const sections = [
  'hardware',
  'disks',
  'network',
  'software',
  'services',
  'users',
  'system',
] as const satisfies (keyof Inventory)[]
const facts = [
  'hostname',
  'osType',
  'osName',
  'osVersion',
  'kernelVersion',
  'architecture',
  'agentVersion',
] as const satisfies (keyof Inventory['facts'])[]

const storeInventory = {
  name: 'store-inventory',
  text: `WITH given AS (
      SELECT * FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
        AS u(device_id, hash, at_ms, hardware, disks, network, software, services, users, system)
    )
    INSERT INTO device_inventory AS i (device_id, org_id, partner_id, hash, collected_at, hardware, disks, network, software, services, users, system)
    SELECT g.device_id, d.org_id, d.partner_id, g.hash, to_timestamp(g.at_ms / 1000), g.hardware::jsonb, g.disks::jsonb,
      g.network::jsonb, g.software::jsonb, g.services::jsonb, g.users::jsonb, g.system::jsonb
    FROM given g JOIN devices d ON d.id = g.device_id
    ON CONFLICT (device_id) DO UPDATE SET org_id = excluded.org_id, partner_id = excluded.partner_id, hash = excluded.hash,
      collected_at = excluded.collected_at, hardware = excluded.hardware, disks = excluded.disks, network = excluded.network,
      software = excluded.software, services = excluded.services, users = excluded.users, system = excluded.system, updated_at = now()
    WHERE i.collected_at <= excluded.collected_at`,
}

const storeFacts = {
  name: 'store-facts',
  text: `UPDATE devices d SET hostname = u.hostname, os_type = u.os_type, os_name = coalesce(u.os_name, d.os_name),
      os_version = coalesce(u.os_version, d.os_version), kernel_version = coalesce(u.kernel_version, d.kernel_version),
      architecture = u.architecture, agent_version = u.agent_version, inventory_hash = u.hash
    FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
      AS u(device_id, hash, at_ms, hostname, os_type, os_name, os_version, kernel_version, architecture, agent_version)
      JOIN devices old ON old.id = u.device_id
    WHERE d.id = old.id
      AND NOT EXISTS (SELECT FROM device_inventory i WHERE i.device_id = u.device_id AND i.collected_at > to_timestamp(u.at_ms / 1000))
    RETURNING d.id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", d.site_id AS "siteId", u.at_ms AS "atMs",
      CASE WHEN old.inventory_hash IS NULL THEN '{}' ELSE array_remove(ARRAY[CASE WHEN d.hostname <> old.hostname THEN 'hostname' END,
        CASE WHEN d.os_name IS DISTINCT FROM old.os_name THEN 'osName' END, CASE WHEN d.os_version IS DISTINCT FROM old.os_version THEN 'osVersion' END,
        CASE WHEN d.kernel_version IS DISTINCT FROM old.kernel_version THEN 'kernelVersion' END,
        CASE WHEN d.agent_version IS DISTINCT FROM old.agent_version THEN 'agentVersion' END], NULL) END AS facts`,
}

/** Stores the inventory and the properties of the device that it reports. */
export const inventories = records({
  names: ['inventory'],
  keep: 'latest',
  async store(client, received) {
    const places: DevicePlace[] = []
    for (let start = 0; start < received.length; start += inventoriesPerStatement)
      places.push(...(await storeSlice(client, received.slice(start, start + inventoriesPerStatement))))
    return { events: changeEvents('inventory', places) }
  },
})

async function storeSlice(client: pg.PoolClient, slice: readonly Received<'inventory'>[]): Promise<DevicePlace[]> {
  const keys = [
    slice.map(({ deviceId }) => deviceId),
    slice.map(({ body }) => body.hash),
    slice.map(({ atMs }) => atMs),
  ]
  const sectionsOf = await logInventoryChanges(client, slice)
  const [, changed] = await Promise.all([
    client.query({
      ...storeInventory,
      values: [...keys, ...sections.map((section) => slice.map(({ body }) => JSON.stringify(body[section] ?? {})))],
    }),
    client.query<DevicePlace & { readonly facts: readonly string[] }>({
      ...storeFacts,
      values: [...keys, ...facts.map((fact) => slice.map(({ body }) => body.facts[fact] ?? null))],
    }),
  ])
  await keepEvents(
    client,
    changed.rows.flatMap(({ deviceId, facts: own }) => {
      const names = [...own, ...(sectionsOf.get(deviceId) ?? [])]
      return names.length === 0 ? [] : [aboutDevice(deviceChangedEvent, deviceId, { changed: names })]
    }),
  )
  return changed.rows
}
