// What alerts need around them: rules on CPU, offline devices and events, a policy with two steps, channels and a webhook.
import { randomUUID } from 'node:crypto'
import { sealSecret } from '@muster/areas/watch/webhooks/secrets.ts'
import type { Keyring } from '@muster/kit/secrets/keyring.ts'
import type { Bed, TestDevice } from './bed.ts'

interface Endpoints {
  /** Of the channel of the first step, which rules on offline devices name too. */
  readonly first: string
  readonly second: string
  readonly webhook: string
}

const cpu = '{"kind":"metric","metric":"cpuPercent","operator":"gt","threshold":90,"aggregate":"last"}'

export interface Alerting {
  /** Each time the CPU is busy, another alert. */
  readonly busy: string
  /** One alert per device, which is reopened. */
  readonly longBusy: string
  readonly offline: string
  /** Counts the events. */
  readonly wentOffline: string
  readonly channels: readonly [string, string]
  readonly webhook: string
}

export async function setUpAlerting(
  { owner }: Bed,
  keyring: Keyring,
  { partnerId }: Pick<TestDevice, 'partnerId'>,
  urls: Endpoints,
): Promise<Alerting> {
  const lane = (name: string, kind: string) =>
    owner.query('INSERT INTO delivery_lanes (lane, partner_id, kind, concurrency) VALUES ($1, $2, $3, 10)', [
      name,
      partnerId,
      kind,
    ])
  const channel = async (url: string) => {
    const id = randomUUID()
    await owner.query(
      `INSERT INTO alert_channels (id, partner_id, name, type, config, secret_fields) VALUES ($1, $2, 'Channel', 'webhook', $3, '{}')`,
      [id, partnerId, { url }],
    )
    await lane(`channel:${id}`, 'channel')
    return id
  }
  const rule = async (kind: string, conditions: string, more: Readonly<Record<string, unknown>> = {}) => {
    const columns = { name: 'Rule', severity: 'high', kind, conditions, ...more }
    const { rows } = await owner.query<{ id: string }>(
      `WITH targets AS (INSERT INTO target_sets (partner_id, everything) VALUES ($1, true) RETURNING id)
       INSERT INTO alert_rules (partner_id, target_set_id, ${Object.keys(columns).join(', ')})
       SELECT $1, id, ${Object.keys(columns)
         .map((_, index) => `$${index + 2}`)
         .join(', ')} FROM targets RETURNING id`,
      [partnerId, ...Object.values(columns)],
    )
    return rows[0]?.id ?? ''
  }
  const [first, second] = [await channel(urls.first), await channel(urls.second)]
  const steps = [
    { afterMinutes: 0, channelIds: [first] },
    { afterMinutes: 1, channelIds: [second] },
  ]
  await owner.query(
    `INSERT INTO alert_policies (partner_id, name, group_by, group_wait_seconds, group_interval_seconds, repeat_interval_seconds, steps, loops)
     VALUES ($1, 'Policy', '{rule}', 1, 5, 120, $2, 1)`,
    [partnerId, JSON.stringify(steps)],
  )
  const webhook = randomUUID()
  await owner.query(
    `INSERT INTO webhooks (id, partner_id, name, url, events, secret) VALUES ($1, $2, 'Webhook', $3, '{*}', $4)`,
    [webhook, partnerId, urls.webhook, sealSecret(keyring, webhook, `whsec_${Buffer.alloc(32).toString('base64')}`)],
  )
  await lane(`webhook:${webhook}`, 'webhook')
  return {
    busy: await rule('metric', cpu, { reopen_seconds: 0 }),
    longBusy: await rule('metric', cpu, { for_seconds: 1, clear_for_seconds: 1 }),
    offline: await rule('offline', '{"kind":"offline","seconds":60}', { channel_ids: [first] }),
    wentOffline: await rule('event', '{"kind":"event","type":"device.offline"}'),
    channels: [first, second],
    webhook,
  }
}
