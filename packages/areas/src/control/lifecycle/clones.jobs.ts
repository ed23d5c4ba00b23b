// Quarantines devices whose key two machines use. Gateways detect them; this job records them.

import { publishGeneration } from '@muster/backplane/generations.ts'
import { clonesKey, quarantinedGeneration } from '@muster/backplane/keys.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { asSystem } from '@muster/db/database.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import { every } from '../../background/job.ts'
import { quarantineDevice, tellAdministrators } from '../../fleet/devices/index.ts'
import { deviceStatus } from '../../fleet/devices/state/device-events.contract.ts'
import { recordAsSystem } from '../../platform/audit/index.ts'
import { liveEvent, publishEvents } from '../../platform/live-events/index.ts'

const reason = 'Two machines use the key of this device'

export interface CloneParts {
  readonly pool: pg.Pool
  readonly redis: Redis
  readonly log: Log
  readonly publicUrl: string
}

/** Quarantines the devices that gateways have locked out, and notifies their administrators. */
export async function quarantineClones(parts: CloneParts): Promise<void> {
  const seen = await parts.redis.hgetall(clonesKey)
  for (const [deviceId, atMs] of Object.entries(seen)) {
    await quarantineClone(parts, deviceId, new Date(Number(atMs) || Date.now()).toISOString())
    await parts.redis.hdel(clonesKey, deviceId)
  }
}

async function quarantineClone({ pool, redis, log, publicUrl }: CloneParts, id: string, at: string): Promise<void> {
  const device = await asSystem(pool, async (db) => {
    const found = await quarantineDevice(db, id, reason, at)
    if (found === undefined) return undefined
    const { orgId, partnerId, hostname } = found
    const tenant = { orgId, partnerId }
    await recordAsSystem(db, {
      action: 'device.quarantine',
      target: id,
      name: hostname,
      ...tenant,
      details: { reason },
    })
    await tellAdministrators(db, publicUrl, { template: 'device-quarantined', device: found, at, reason })
    return found
  })
  if (device === undefined) return
  log.warn({ deviceId: id }, 'Device quarantined: two machines use its key')
  // Again: a release that did not know of the quarantine yet may have replaced what the gateway wrote.
  await publishGeneration(redis, id, quarantinedGeneration)
  const { orgId, siteId, partnerId } = device
  const fields = { orgId, siteId, deviceId: id, at: Date.parse(at), status: 'quarantined' } as const
  await publishEvents(redis, [liveEvent(deviceStatus, partnerId, fields)])
}

/** Both machines are locked out already; the job only records it. */
export const clones = every(1_000, 'clones', (parts) =>
  quarantineClones({ ...parts, publicUrl: parts.settings.publicUrl }),
)
