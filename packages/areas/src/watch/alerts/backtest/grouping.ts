// In which groups the alerts of a tested rule would be told.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Grouping } from './backtest.ts'
import type { Device } from './reading.ts'

interface Policy {
  readonly groupBy: readonly string[]
  readonly groupWaitSeconds: number
  readonly groupIntervalSeconds: number
}

/** What policies do without a choice. */
const usual: Policy = { groupBy: ['organization', 'rule'], groupWaitSeconds: 30, groupIntervalSeconds: 300 }

async function policyById(db: Db, id: string | null): Promise<Policy> {
  if (id === null) return usual
  const { rows } = await sql<Policy>`SELECT group_by, group_wait_seconds, group_interval_seconds FROM alert_policies
    WHERE id = ${id}::uuid`.execute(db)
  return rows[0] ?? usual
}

/** As the policy that the rule names says, else by organization with the usual times. */
export async function groupingOf(db: Db, policyId: string | null, devices: readonly Device[]): Promise<Grouping> {
  const { groupBy, groupWaitSeconds, groupIntervalSeconds } = await policyById(db, policyId)
  const byId = new Map(devices.map((device) => [device.id, device]))
  // The rule and its severity are the same for all alerts of a test.
  const namedBy = (name: string, deviceId: string): string => {
    if (name === 'device') return deviceId
    if (name === 'organization') return byId.get(deviceId)?.orgId ?? '-'
    return name === 'site' ? (byId.get(deviceId)?.siteId ?? '-') : '-'
  }
  return {
    keyOf: (deviceId) => groupBy.map((name) => namedBy(name, deviceId)).join(' '),
    waitMs: groupWaitSeconds * 1_000,
    intervalMs: groupIntervalSeconds * 1_000,
  }
}
