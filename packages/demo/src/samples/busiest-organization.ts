import { setTimeout as pause } from 'node:timers/promises'
import type { Session } from '@muster/stack/local-agent.ts'
import { z } from 'zod'

const Devices = z.looseObject({ devices: z.array(z.looseObject({ id: z.uuid(), orgId: z.uuid() })) })

const looksMost = 30
const lookMs = 2_000

/** The devices that are online, once their number does not grow any more. */
async function onlineDevices(session: Session) {
  let before = 0
  for (let look = 0; look < looksMost; look++) {
    const { devices } = await session.get('/devices?status=online&limit=100', Devices)
    if (devices.length > 0 && devices.length === before) return devices
    before = devices.length
    await pause(lookMs)
  }
  return []
}

/** The organization with the most devices that are online, with these; undefined if none is. */
export async function busiestOrganization(session: Session) {
  const byOrg = [...Map.groupBy(await onlineDevices(session), ({ orgId }) => orgId)]
  const [first] = byOrg.sort(([, one], [, other]) => other.length - one.length)
  return first && { orgId: first[0], deviceIds: first[1].map(({ id }) => id) }
}
