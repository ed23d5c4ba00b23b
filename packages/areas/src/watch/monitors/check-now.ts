// Asks the probes of a monitor at once, over the connection of each.
import { asSystem, type Db } from '@muster/db/database.ts'
import { AppError } from '@muster/kit/errors.ts'
import type { AssignedCheck } from '@muster/wire/messages/assignment.ts'
import type { Observation } from '@muster/wire/messages/observations.ts'
import { type RawBuilder, sql } from 'kysely'
import { askDevice } from '../../control/commands/index.ts'
import type { Call } from '../../operation.ts'
import { publishEvents } from '../../platform/live-events/index.ts'
import { assignedCheck, type Secrets } from './checks/config.ts'
import { observe } from './checks/observe.ts'
import type { StoredMonitor } from './monitor.queries.ts'
import type { ProbeAnswer } from './monitors.contract.ts'

export interface Asked {
  readonly monitor: StoredMonitor
  readonly secrets: Secrets
}

interface Answered extends ProbeAnswer {
  readonly observation: Observation | null
}

/** The connected devices that check it. @throws NO_PROBE */
export async function probesOf(db: Db, monitor: StoredMonitor): Promise<string[]> {
  if (!monitor.enabled) throw new AppError('NO_PROBE', 'The monitor is paused')
  return connected(
    db,
    monitor,
    sql`EXISTS (SELECT FROM monitor_probes p WHERE p.device_id = d.id AND p.monitor_id = ${monitor.id} AND p.unable_until IS NULL)`,
  )
}

/** The connected devices that can try it: the pinned one is asked even if it is not its probe. @throws NO_PROBE */
export const triersOf = (db: Db, monitor: StoredMonitor): Promise<string[]> =>
  monitor.deviceId === null ? probesOf(db, monitor) : connected(db, monitor, sql`d.id = ${monitor.deviceId}`)

async function connected(db: Db, { orgId }: StoredMonitor, chosen: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{
    id: string
  }>`SELECT d.id FROM devices d JOIN device_state s ON s.device_id = d.id
    WHERE d.org_id = ${orgId} AND d.lifecycle = 'active' AND s.status = 'online' AND ${chosen} ORDER BY d.id`.execute(
    db,
  )
  if (rows.length === 0) throw new AppError('NO_PROBE', 'No connected device can check this monitor')
  return rows.map((row) => row.id)
}

/** Asks each probe for one round. A probe that does not answer is `unknown`, for the reason in `error`. */
export function askProbes(call: Call, { monitor, secrets }: Asked, deviceIds: readonly string[]): Promise<Answered[]> {
  const { config: _, ...stored } = monitor
  const plain = assignedCheck({ ...stored, config: { ...monitor.config, ...present(secrets) } })
  return Promise.all(deviceIds.map((deviceId) => askProbe(call, monitor.partnerId, deviceId, plain)))
}

const present = ({ headers, body }: Secrets) => ({
  ...(headers === undefined ? {} : { headers }),
  ...(body == null ? {} : { body }),
})

async function askProbe(call: Call, partnerId: string, deviceId: string, assigned: AssignedCheck): Promise<Answered> {
  try {
    const { result } = await askDevice(call, { id: deviceId, partnerId }, { type: 'run_check', payload: { assigned } })
    const { state, ms, ...found } = result
    const failed = state === 'failed' ? 1 : 0
    const timed =
      ms !== undefined && state !== 'failed' && state !== 'unknown' ? { minMs: ms, maxMs: ms, sumMs: ms } : {}
    const observation = { id: assigned.id, at: call.services.clock.now(), state, rounds: 1, failed, ...timed, ...found }
    return {
      deviceId,
      state,
      responseMs: ms === undefined ? null : rounded(ms),
      error: found.text ?? null,
      observation,
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { deviceId, state: 'unknown', responseMs: null, error: error.message, observation: null }
  }
}

const rounded = (ms: number) => Math.round(ms * 1_000) / 1_000

/** Stores what probes answered, as if they had reported it. */
export async function storeAnswers({ services }: Call, answered: readonly Answered[]): Promise<void> {
  const observed = answered.flatMap(({ deviceId, observation }) =>
    observation === null ? [] : [{ ...observation, deviceId }],
  )
  await publishEvents(services.redis, await asSystem(services.system, (db) => observe(db, observed, services.log)))
}

export const shownAnswers = (answered: readonly Answered[]) => ({
  results: answered.map(({ observation: _, ...shown }) => shown),
})
