import type { Verdict } from '@muster/areas/fleet/devices/index.ts'
import { presenceField } from '@muster/backplane/presence.ts'
import type { Redis } from '@muster/backplane/redis.ts'
import { livingNodes, nodesOf } from '@muster/backplane/routing.ts'
import type { ConnectedRecord, DisconnectedRecord } from '../heartbeats/decoded.ts'
import type { ConnectionChange } from '../heartbeats/fold.ts'
import type { DeviceTable } from '../heartbeats/known-devices.ts'
import { doubtMs, returnGraceMs } from '../limits.ts'

/** A holder (device, or device/watchdog) whose presence has to be checked again. */
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
 * Presence decides who is connected now; the records only name the devices to check. So neither the order in which two
 * nodes report nor an old record in a long queue leaves a device in the wrong state.
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
      if (record.name === 'connected') connected.add(record.node)
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
      remoteAddress: agentHello?.body.remoteAddress || null,
      node: ofAgent.node,
      watchdog: ofWatchdog.isConnected === null ? null : ofWatchdog.isConnected ? 'connected' : 'disconnected',
      watchdogNode: ofWatchdog.node,
    }
  })
  return { verdicts, doubts }
}

interface Judgement {
  /** null: unchanged. */
  isConnected: boolean | null
  node: string | null
  /** When to check again. */
  dueMs: number | null
}

const unchanged: Judgement = { isConnected: null, node: null, dueMs: null }

/** @param holder the living node that holds the connection, by presence */
function judge(
  record: ConnectionRecord,
  holder: string | undefined,
  alive: ReadonlySet<string>,
  nowMs: number,
): Judgement {
  const soonMs = nowMs + doubtMs
  if (record.name === 'connected') {
    // A living node that does not hold the device may be about to report that it disconnected.
    const node = holder ?? (alive.has(record.node) ? record.node : null)
    return { isConnected: node !== null, node, dueMs: holder === undefined ? soonMs : null }
  }
  if (holder !== undefined && holder !== record.node) return { isConnected: true, node: holder, dueMs: null }
  // An agent that its node sent away connects to another: it is offline only after the time in which it should return.
  const { returnsWithinMs } = record.body
  const backMs = returnsWithinMs === undefined ? 0 : record.atMs + returnsWithinMs + returnGraceMs
  if (backMs > nowMs) return { ...unchanged, dueMs: Math.max(backMs, soonMs) }
  // The same node may hold a newer connection, or may not have released the old one yet.
  if (holder !== undefined) return { ...unchanged, dueMs: soonMs }
  return { isConnected: false, node: null, dueMs: null }
}
