// Machines of the tests: their inventories, and the evaluation that a worker would run.
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import type { Fact, FactValue } from '@muster/wire/facts/facts.ts'
import { factKey } from '../../../control/facts/index.ts'
import { ChangeFeed } from '../../../fleet/devices/changes/change-feed.jobs.ts'
import { evaluateChanged } from '../evaluation/policies.jobs.ts'
import { PolicyBooks } from '../evaluation/policy-books.ts'

interface Inventory {
  readonly software?: readonly { readonly name: string; readonly version?: string }[]
  readonly disks?: readonly { readonly mount: string; readonly totalBytes: number; readonly usedBytes: number }[]
}

let hash = 0

/** Stores the inventory that a device would have sent. */
export async function reports(deviceId: string, { software = [], disks = [] }: Inventory): Promise<void> {
  const { system } = await testServices()
  hash += 1
  await system.query(
    `INSERT INTO device_inventory (device_id, org_id, partner_id, hash, collected_at, software, disks)
     SELECT id, org_id, partner_id, $2, now(), $3, $4 FROM devices WHERE id = $1
     ON CONFLICT (device_id) DO UPDATE SET hash = excluded.hash, software = excluded.software, disks = excluded.disks`,
    [deviceId, `hash ${hash}`, JSON.stringify(software), JSON.stringify(disks)],
  )
}

/** Stores what a device would have answered about a fact that it was assigned. */
export async function answers(deviceId: string, fact: Fact, value: FactValue | null, error?: string): Promise<void> {
  const { system } = await testServices()
  await system.query(
    `UPDATE device_facts SET value = $3, error = $4, observed_at = now() WHERE device_id = $1 AND fact_key = $2`,
    [deviceId, factKey(fact), value === null ? null : JSON.stringify(value), error ?? null],
  )
}

const books = new PolicyBooks()

/** Hands over what changed until now, as a worker does. */
const followChanges = async () => new ChangeFeed(await testWorkerParts()).turn(performance.now())

/** The devices of an organization that wait for an evaluation. */
export async function queued(orgId: string): Promise<string[]> {
  const { system } = await testServices()
  await followChanges()
  const { rows } = await system.query<{ id: string }>(
    'SELECT DISTINCT device_id AS id FROM device_policy_marks WHERE org_id = $1 ORDER BY 1',
    [orgId],
  )
  return rows.map(({ id }) => id)
}

/** Evaluates what changed, as a worker does. Another test may have taken devices of the organization out of the queue. */
export async function evaluated(orgId: string): Promise<void> {
  const parts = await testWorkerParts()
  await followChanges()
  do await evaluateChanged(parts, books)
  while ((await queued(orgId)).length > 0)
}
