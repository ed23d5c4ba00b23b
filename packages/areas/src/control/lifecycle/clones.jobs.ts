// What the nodes have noticed is put on record: a device whose key two machines use.

import { publishGeneration } from '@muster/backplane/generations.ts'
import { clonesKey, quarantinedGeneration } from '@muster/backplane/keys.ts'
import { publishLive } from '@muster/backplane/live.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { asSystem } from '@muster/db/database.ts'
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import { tellAdministrators } from '../../fleet/devices/index.ts'
import { every } from '../../job.ts'
import { recordAsSystem } from '../../platform/audit/index.ts'
import { quarantineDevice } from './decommission.ts'

const reason = 'Two machines use the key of this device'

export interface CloneParts {
  readonly pool: pg.Pool
  readonly redis: Redis
  readonly log: Log
  readonly publicUrl: string
}

/** Quarantines the devices that nodes have locked out, and tells those who can do something about it. */
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
  log.warn({ deviceId: id }, 'a device is quarantined: two machines use its key')
  // Once more: what the node has said may have been taken back meanwhile, by whom knew of no quarantine yet.
  await publishGeneration(redis, id, quarantinedGeneration)
  const { orgId, siteId, partnerId } = device
  await publishLive(redis, partnerId, [
    { type: 'device.status', orgId, siteId, deviceId: id, at: Date.parse(at), status: 'quarantined' },
  ])
}

/** How soon it is on record that two machines use one key; they are locked out already. */
export const clones = every(1_000, 'clones', (parts) =>
  quarantineClones({ ...parts, publicUrl: parts.settings.publicUrl }),
)
