import type pg from 'pg'

const storeKeys = {
  name: 'store-watchdog-keys',
  text: `UPDATE devices d SET watchdog_public_key = u.key FROM unnest($1::uuid[], $2::text[]) AS u(device_id, key)
    WHERE d.id = u.device_id AND d.lifecycle <> 'decommissioned'
    RETURNING d.id AS "deviceId", d.org_id AS "orgId", d.partner_id AS "partnerId", d.key_generation AS generation,
      d.watchdog_public_key AS "publicKey"`,
}

export interface WatchdogKey {
  readonly deviceId: string
  readonly orgId: string
  readonly partnerId: string
  readonly generation: number
  readonly publicKey: string
}

/** Stores the public keys of watchdogs. @returns those of devices that are not decommissioned */
export async function storeWatchdogKeys(
  client: pg.PoolClient,
  keys: readonly Pick<WatchdogKey, 'deviceId' | 'publicKey'>[],
): Promise<WatchdogKey[]> {
  const { rows } = await client.query<WatchdogKey>({
    ...storeKeys,
    values: [keys.map(({ deviceId }) => deviceId), keys.map(({ publicKey }) => publicKey)],
  })
  return rows
}
