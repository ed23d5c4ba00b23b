import { asSystem } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { changeFollower } from '../../../fleet/devices/index.ts'
import type { Part } from '../rules/judge.rules.ts'

/** What is judged again after a change, by what changed. */
const partsOf: Readonly<Record<string, Part | 'place'>> = {
  place: 'place',
  osVersion: 'system',
  software: 'software',
  disks: 'disks',
  facts: 'facts',
}

/** Queues the devices whose facts or places changed, where policies are active. */
export const policyChanges = changeFollower({
  name: 'policies',
  async follow({ pool }, changes) {
    const marks = changes.flatMap(({ fields, ...device }) =>
      [...fields].flatMap((field) => {
        const part = partsOf[field]
        return part === undefined ? [] : [{ ...device, part }]
      }),
    )
    if (marks.length === 0) return
    await asSystem(pool, (db) =>
      sql`INSERT INTO device_policy_marks (device_id, org_id, partner_id, part)
        SELECT m.* FROM unnest(${marks.map(({ deviceId }) => deviceId)}::uuid[], ${marks.map(({ orgId }) => orgId)}::uuid[],
          ${marks.map(({ partnerId }) => partnerId)}::uuid[], ${marks.map(({ part }) => part)}::text[])
          AS m(device_id, org_id, partner_id, part)
        WHERE m.partner_id IN (SELECT p.partner_id FROM device_policies p WHERE p.status = 'active')`.execute(db),
    )
  },
})
