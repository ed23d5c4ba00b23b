// Members limited to sites or device groups read only data within these limits. No list, search, export or count shows
// a device, site or group outside of the limits, or anything that belongs to one, and no read by id finds it.
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import { asSystem, type Db } from '@muster/db/database.ts'
import { testServices } from '@muster/testkit/services.ts'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { exampleOf } from './example-of.ts'
import { probe } from './probe.ts'
import { type LimitedCaller, limitedCallers } from './reach-callers.ts'
import { wideningInputs } from './reach-inputs.ts'
import { buildStage } from './stage.ts'

const there = await buildStage()
const { system } = await testServices()
const callers = (await limitedCallers(there)).filter(({ name }) => name.startsWith('limited'))
await commandAllDevices()

/** Adds a command and a request for approval to every device. */
async function commandAllDevices() {
  await asSystem(system, async (db) => {
    const { rows } = await sql<{ id: string; orgId: string; partnerId: string }>`
      SELECT id, org_id, partner_id FROM devices WHERE partner_id = ${there.stage.partner}`.execute(db)
    for (const { id, orgId, partnerId } of rows) {
      const createdBy = there.world.partnerAdmin.userId
      await sql`INSERT INTO device_commands (device_id, org_id, partner_id, type, payload, timeout_ms, expires_at, created_by)
        VALUES (${id}, ${orgId}, ${partnerId}, 'run_script', '{"script":"true"}', 60000, now() + interval '1 day', ${createdBy})`.execute(
        db,
      )
      await sql`INSERT INTO command_approvals (org_id, partner_id, requested_by, requested_as, type, payload, timeout_ms,
          expires_in_seconds, device_ids, hash, expires_at)
        VALUES (${orgId}, ${partnerId}, ${createdBy}, '{"scope":"partner"}', 'run_script', '{}', 60000, 60, ARRAY[${id}]::uuid[],
          'unknown', now() + interval '1 day')`.execute(db)
    }
  })
}

/** Ids of the partner's rows that are outside of the caller's sites or device groups. */
async function outsideIds(db: Db, { name }: LimitedCaller): Promise<ReadonlySet<string>> {
  const { stage } = there
  const isSites = name === 'limited to sites'
  const groupIds = callers[0]?.kinds.group?.slice(0, 2) ?? []
  const devices = isSites
    ? sql`SELECT id FROM devices WHERE partner_id = ${stage.partner} AND site_id IS DISTINCT FROM ${stage.site}::uuid`
    : sql`SELECT id FROM devices d WHERE partner_id = ${stage.partner} AND NOT EXISTS (
        SELECT FROM device_group_members m WHERE m.device_id = d.id AND m.group_id = ANY (${groupIds}::uuid[]))`
  const { rows: ofDevices } = await sql<{ name: string }>`
    SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.columns i
      ON i.table_schema = c.table_schema AND i.table_name = c.table_name AND i.column_name = 'id' AND i.data_type = 'uuid'
    WHERE c.table_schema = 'public' AND c.column_name = 'device_id' AND c.data_type = 'uuid'`.execute(db)
  const parts = [
    devices,
    ...ofDevices.map(({ name: table }) => sql`SELECT id FROM ${sql.table(table)} WHERE device_id IN (${devices})`),
    sql`SELECT id FROM command_approvals WHERE device_ids && ARRAY(${devices})`,
    isSites
      ? sql`SELECT id FROM sites WHERE partner_id = ${stage.partner} AND id <> ${stage.site}::uuid`
      : sql`SELECT id FROM enrollment_keys WHERE partner_id = ${stage.partner}`,
    isSites
      ? sql`SELECT id FROM device_groups WHERE partner_id = ${stage.partner} AND site_id IS DISTINCT FROM ${stage.site}::uuid`
      : sql`SELECT id FROM device_groups WHERE partner_id = ${stage.partner} AND id <> ALL (${groupIds}::uuid[])`,
  ]
  const { rows } = await sql<{ id: string }>`${sql.join(parts, sql` UNION `)}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

const reads = operations.filter(
  ({ endpoint: { kind, access, method } }) =>
    access.who !== 'public' &&
    access.scopes.includes('organization') &&
    (kind === 'query' || kind === 'subscription' || (kind === 'raw' && method === 'GET')),
)

/** Whether a list reports a total above zero but shows no rows. */
function countsMore(text: string): boolean {
  const match = /"pagination":\{"page":1,"limit":(\d+),"total":(\d+)/.exec(text)
  const shown = /^\{"data":\[\]/.test(text) ? 0 : null
  return match !== null && shown === 0 && Number(match[2]) > 0
}

async function shownOutside(operation: Operation, one: LimitedCaller, hidden: ReadonlySet<string>): Promise<string[]> {
  const examples = one.stages.map((stage) => exampleOf(operation).input(stage, one.scope) as object)
  const wrong: string[] = []
  for (const input of wideningInputs(operation, examples, one.kinds, 2_000)) {
    const { text, status, failure } = await probe(operation, one.who, input)
    const asked = JSON.stringify(input)
    const shown = [...(text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [])]
    const leaked = shown.filter((id) => hidden.has(id) && !asked.includes(id))
    if (failure !== null) wrong.push(`${asked} failed: ${failure}`)
    if (leaked.length > 0) wrong.push(`${asked} shows ${leaked[0]}`)
    if (status < 400 && countsMore(text)) wrong.push(`${asked} counts rows that it does not show`)
  }
  return wrong
}

describe.each(callers)('a member $name', async (one) => {
  const hidden = await asSystem(system, (db) => outsideIds(db, one))

  it.each(reads.map((operation) => ({ id: operation.id, operation })))(
    'sees nothing outside in $id',
    async ({ operation }) => {
      expect(await shownOutside(operation, one, hidden)).toEqual([])
    },
  )

  it('has data outside of its limits', () => expect(hidden.size).toBeGreaterThan(8))
})
