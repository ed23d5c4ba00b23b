import { fleetTenants, idOf } from '../fleet-files.ts'
import type { Receiver } from '../receiver.ts'
import { pause, until } from '../waiting.ts'
import type { AlertsBench } from './alerts-bench.ts'

const deadlineSeconds = 60
export const groupWaitSeconds = 5
const offlineMs = 60_000
const storedMs = 60_000
/** Further messages would have come by then. */
const quietMs = 15_000

/** Alerts about the devices of one partner that opened together. */
export interface Opening {
  /** From the opening of the first alert. */
  readonly afterMs: number
  readonly partnerId: string
  readonly count: number
}

export interface Offline {
  readonly devices: number
  readonly alerts: number
  /** The last alert, and the last first message of a channel, after the deadline of the last device. */
  readonly storedMs: number
  readonly messageMs: number
  /** From the opening of the first alert. */
  readonly openedToMessageMs: number
  readonly channels: number
  readonly messages: number
  readonly messagesMost: number
}

/** Devices that lose their connection at once: when their alerts are stored, and how many messages a channel gets. */
export async function offlineTogether(
  bench: AlertsBench,
  receiver: Receiver,
  devices: number,
): Promise<{ offline: Offline; openings: Opening[] }> {
  const { stack, generator } = bench
  const { owner } = stack
  await owner.query(`DELETE FROM alerts; DELETE FROM alert_rules`)
  await targetSome(bench, devices, await receiver.listen())
  await pause(3_000)
  await generator.stop()
  const target = `FROM device_state s JOIN devices d ON d.id = s.device_id WHERE d.tags @> '{bench-offline}'`
  await until('the devices to be offline', offlineMs, async () => {
    const { rows } = await owner.query<{ left: number }>(
      `SELECT count(*)::int AS left ${target} AND s.status <> 'offline'`,
    )
    return rows[0]?.left === 0 ? true : `${rows[0]?.left} are not`
  })
  const { rows: last } = await owner.query<{ ms: number }>(
    `SELECT (extract(epoch FROM max(s.status_at)) * 1000)::float8 AS ms ${target}`,
  )
  const deadlineMs = (last[0]?.ms ?? 0) + deadlineSeconds * 1000
  const stored = async () => {
    const { rows } = await owner.query<{ alerts: number; last: number }>(
      `SELECT count(*)::int AS alerts, coalesce(extract(epoch FROM max(pg_xact_commit_timestamp(xmin))) * 1000, 0)::float8 AS last
       FROM alerts`,
    )
    return rows[0] ?? { alerts: 0, last: 0 }
  }
  let seen = { alerts: 0, last: 0 }
  let completeMs = 0
  await until('their alerts', deadlineMs - Date.now() + storedMs, async () => {
    seen = await stored()
    completeMs = Date.now()
    return seen.alerts >= devices ? true : `${seen.alerts} of ${devices} are stored`
  })
  await pause(groupWaitSeconds * 1000 + quietMs)
  const byChannel = Map.groupBy(receiver.received, ({ path }) => path)
  const lastMs = Math.max(...[...byChannel.values()].map((own) => Math.min(...own.map(({ atMs }) => atMs))))
  const { rows: first } = await owner.query<{ ms: number }>(
    'SELECT (extract(epoch FROM min(opened_at)) * 1000)::float8 AS ms FROM alerts',
  )
  const { rows: openings } = await owner.query<Opening>(
    `SELECT (extract(epoch FROM opened_at - min(opened_at) OVER ()) * 1000)::float8 AS "afterMs", partner_id AS "partnerId",
       count(*)::int AS count FROM alerts GROUP BY opened_at, partner_id ORDER BY opened_at`,
  )
  const offline = {
    devices,
    alerts: (await stored()).alerts,
    storedMs: Math.round(completeMs - deadlineMs),
    messageMs: Math.round(lastMs - deadlineMs),
    openedToMessageMs: Math.round(lastMs - (first[0]?.ms ?? 0)),
    channels: byChannel.size,
    messages: receiver.received.length,
    messagesMost: Math.max(...[...byChannel.values()].map((own) => own.length)),
  }
  return { offline, openings }
}

/** A rule, a channel and a policy for each partner, about the devices that are tagged. */
async function targetSome(bench: AlertsBench, devices: number, url: string): Promise<void> {
  const ids = Array.from({ length: devices }, (_, device) => idOf('device', device))
  await bench.stack.owner.query(`UPDATE devices SET tags = '{bench-offline}' WHERE id = ANY ($1::uuid[])`, [ids])
  for (let partner = 0; partner < fleetTenants.partners; partner++) {
    const partnerId = idOf('partner', partner)
    const channelId = await bench.create('alerts/channels', {
      partnerId,
      name: 'Bench',
      type: 'webhook',
      config: { url: `${url}/${partner}` },
      sendResolved: false,
    })
    await bench.create('alerts/policies', {
      partnerId,
      name: 'Bench',
      groupBy: ['rule'],
      groupWaitSeconds,
      steps: [{ afterMinutes: 0, channelIds: [channelId] }],
    })
    await bench.create('alerts/rules', {
      partnerId,
      name: 'Offline together',
      severity: 'high',
      targets: { tags: ['bench-offline'] },
      conditions: { kind: 'offline', seconds: deadlineSeconds },
    })
  }
}
