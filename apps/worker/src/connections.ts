import { livingNodes, nodesOf } from '@muster/backplane/routing.ts'
import type { Redis } from 'ioredis'
import type { Verdict } from './device-status.ts'
import type { ConnectionChange } from './fold.ts'
import type { DeviceTable } from './known-devices.ts'

export interface ConnectionVerdicts {
  verdicts: Verdict[]
  /** Devices whose presence does not fit what the stream says, to be looked at again shortly. */
  doubtful: string[]
}

/**
 * Who is connected now is what presence says; the records only say which devices to look at. So neither the order in
 * which two nodes report nor an old record in a long queue can leave a device in the wrong state.
 */
export async function judgeConnections(
  redis: Redis,
  devices: DeviceTable,
  changes: readonly ConnectionChange[],
): Promise<ConnectionVerdicts> {
  if (changes.length === 0) return { verdicts: [], doubtful: [] }
  const connected = new Set<string>()
  const asked: string[] = []
  for (const { agent, device } of changes) {
    if (agent !== null) asked.push(devices.id(device))
    if (agent?.kind === 'connected') connected.add(agent.node)
  }
  const [holders, alive] = await Promise.all([nodesOf(redis, asked), livingNodes(redis, connected)])
  const doubtful: string[] = []
  const verdicts = changes.map((change) => {
    const deviceId = devices.id(change.device)
    const { verdict, doubt } = judge(deviceId, change, holders.get(deviceId), alive)
    if (doubt) doubtful.push(deviceId)
    return verdict
  })
  return { verdicts, doubtful }
}

/** @param holder the living node that holds the device's agent, by presence */
function judge(
  deviceId: string,
  { agent, agentHello, watchdog }: ConnectionChange,
  holder: string | undefined,
  alive: ReadonlySet<string>,
): { verdict: Verdict; doubt: boolean } {
  const last = agent ?? watchdog
  const verdict: Verdict = {
    deviceId,
    status: null,
    atMs: last?.atMs ?? Date.now(),
    seenAtMs: agent?.atMs ?? agentHello?.atMs ?? null,
    node: null,
    watchdog: watchdog === null ? null : watchdog.kind,
  }
  if (agent === null) return { verdict, doubt: false }
  if (agent.kind === 'connected') {
    // A node that lives but does not hold the device may be about to say that it is gone.
    const node = holder ?? (alive.has(agent.node) ? agent.node : undefined)
    const status = node === undefined ? 'offline' : 'online'
    return { verdict: { ...verdict, status, node: node ?? null }, doubt: holder === undefined }
  }
  if (holder === undefined) return { verdict: { ...verdict, status: 'offline' }, doubt: false }
  // The same node may hold it by a newer connection, or not have let go of the old one yet.
  if (holder === agent.node) return { verdict, doubt: true }
  return { verdict: { ...verdict, status: 'online', node: holder }, doubt: false }
}
