import { presenceField } from '@muster/backplane/presence.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { livingNodes, nodesOf } from '@muster/backplane/routing.ts'
import type { ConnectedRecord, DisconnectedRecord } from './decoded.ts'
import type { Verdict } from './device-status.ts'
import type { ConnectionChange } from './fold.ts'
import type { DeviceTable } from './known-devices.ts'
import { doubtMs, returnGraceMs } from './limits.ts'

/** A holder (device, or device/watchdog) whose presence is to be looked at again. */
export interface Doubt {
  field: string
  dueMs: number
}

export interface ConnectionVerdicts {
  verdicts: Verdict[]
  doubts: Doubt[]
}

type ConnectionRecord = ConnectedRecord | DisconnectedRecord

/**
 * Who is connected now is what presence says; the records only say which devices to look at. So neither the order in
 * which two nodes report nor an old record in a long queue can leave a device in the wrong state.
 */
export async function judgeConnections(
  redis: Redis,
  devices: DeviceTable,
  changes: readonly ConnectionChange[],
): Promise<ConnectionVerdicts> {
  if (changes.length === 0) return { verdicts: [], doubts: [] }
  const connected = new Set<string>()
  const asked: string[] = []
  for (const { agent, watchdog, device } of changes)
    for (const record of [agent, watchdog]) {
      if (record === null) continue
      asked.push(presenceField(devices.id(device), record.body.role))
      if (record.kind === 'connected') connected.add(record.node)
    }
  const [holders, alive] = await Promise.all([nodesOf(redis, asked), livingNodes(redis, connected)])
  const doubts: Doubt[] = []
  const judgeHolder = (deviceId: string, record: ConnectionRecord) => {
    const field = presenceField(deviceId, record.body.role)
    const { isConnected, node, dueMs } = judge(record, holders.get(field), alive, Date.now())
    if (dueMs !== null) doubts.push({ field, dueMs })
    return { isConnected, node }
  }
  const verdicts = changes.map(({ device, agent, agentHello, watchdog }): Verdict => {
    const deviceId = devices.id(device)
    const ofAgent = agent === null ? unchanged : judgeHolder(deviceId, agent)
    const ofWatchdog = watchdog === null ? unchanged : judgeHolder(deviceId, watchdog)
    return {
      deviceId,
      status: ofAgent.isConnected === null ? null : ofAgent.isConnected ? 'online' : 'offline',
      atMs: (agent ?? watchdog)?.atMs ?? Date.now(),
      seenAtMs: agent?.atMs ?? agentHello?.atMs ?? null,
      node: ofAgent.node,
      watchdog: ofWatchdog.isConnected === null ? null : ofWatchdog.isConnected ? 'connected' : 'disconnected',
      watchdogNode: ofWatchdog.node,
    }
  })
  return { verdicts, doubts }
}

interface Judgement {
  /** null: what is stored stays. */
  isConnected: boolean | null
  node: string | null
  /** When to look again. */
  dueMs: number | null
}

const unchanged: Judgement = { isConnected: null, node: null, dueMs: null }

/** @param holder the living node that holds it, by presence */
function judge(
  record: ConnectionRecord,
  holder: string | undefined,
  alive: ReadonlySet<string>,
  nowMs: number,
): Judgement {
  const soonMs = nowMs + doubtMs
  if (record.kind === 'connected') {
    // A node that lives but does not hold the device may be about to say that it is gone.
    const node = holder ?? (alive.has(record.node) ? record.node : null)
    return { isConnected: node !== null, node, dueMs: holder === undefined ? soonMs : null }
  }
  if (holder !== undefined && holder !== record.node) return { isConnected: true, node: holder, dueMs: null }
  // One that its node sent away in order is on its way to another: it is not offline before it should have arrived.
  const { returnsWithinMs } = record.body
  const backMs = returnsWithinMs === undefined ? 0 : record.atMs + returnsWithinMs + returnGraceMs
  if (backMs > nowMs) return { ...unchanged, dueMs: Math.max(backMs, soonMs) }
  // The same node may hold it by a newer connection, or not have let go of the old one yet.
  if (holder !== undefined) return { ...unchanged, dueMs: soonMs }
  return { isConnected: false, node: null, dueMs: null }
}
