import type pg from 'pg'

const storeKeys = {
  name: 'store-sealing-keys',
  text: `WITH given AS (
      SELECT d.id, u.key FROM unnest($1::uuid[], $2::text[]) AS u (device_id, key) JOIN devices d ON d.id = u.device_id
      WHERE d.sealing_key IS DISTINCT FROM u.key ORDER BY d.id FOR NO KEY UPDATE OF d)
    UPDATE devices SET sealing_key = given.key FROM given WHERE devices.id = given.id`,
}

/** Stores to which key of its agent the secrets of each device are sealed. The last one of a device counts. */
export async function storeSealingKeys(
  client: Pick<pg.ClientBase, 'query'>,
  stated: readonly { readonly deviceId: string; readonly sealingKey: string }[],
): Promise<void> {
  if (stated.length === 0) return
  const keys = new Map(stated.map(({ deviceId, sealingKey }) => [deviceId, sealingKey]))
  await client.query({ ...storeKeys, values: [[...keys.keys()], [...keys.values()]] })
}
