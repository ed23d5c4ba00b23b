// What moves with a device to another organization. Every table with rows about the device is read before and after the
// move, and the rows must match the fate that moved.fates.ts declares for the table.

import { commands } from '@muster/areas/control/commands/commands.contract.ts'
import { sendOpenCommands } from '@muster/areas/control/commands/delivery/open-commands.ts'
import { signerOf } from '@muster/areas/control/commands/delivery/order-signer.ts'
import { lifecycle } from '@muster/areas/control/lifecycle/lifecycle.contract.ts'
import { customFields } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import { devices } from '@muster/areas/fleet/devices/devices.contract.ts'
import { agents } from '@muster/areas/fleet/enrollment/agents.contract.ts'
import { provision } from '@muster/areas/fleet/enrollment/provision.contract.ts'
import { groups } from '@muster/areas/fleet/groups/groups.contract.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, machine, setState } from '@muster/testkit/machines.ts'
import { holding } from '@muster/testkit/node.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testDatabase } from '@muster/testkit/stores.ts'
import { person, world } from '@muster/testkit/world.ts'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { tablesOf } from './catalogue.ts'
import { fates } from './moved.fates.ts'

const owner = new pg.Client({ connectionString: testDatabase().ownerUrl })
await owner.connect()
await owner.query('SET row_security = off')
afterAll(() => owner.end())
const services = await testServices()
const { system, people } = services
const tables = await tablesOf(owner)

const secret = 'only-of-the-old-organization'
const here = await world()
const [from, to] = [here.org.id, here.otherOrg.id]
const otherAdmin = await person({ scope: 'organization', partnerId: here.partner.id, orgId: to }, { role: 'Org Admin' })

async function preparedDevice(): Promise<string> {
  const { device, enrollment } = await call(here.partnerAdmin, provision.create, { orgId: from, hostname: 'mover' })
  await call(null, agents.enroll, { enrollmentKey: enrollment.key, ...machine('mover') })
  return device.id
}

/** Inserts the rows that only workers write. */
async function insertWorkerRows(deviceId: string, twin: string): Promise<void> {
  const tenant = [deviceId, from, here.partner.id]
  const insert = (table: string, columns: string, values: string, more: readonly unknown[] = []) =>
    system.query(`INSERT INTO ${table} (device_id, org_id, partner_id, ${columns}) VALUES ($1, $2, $3, ${values})`, [
      ...tenant,
      ...more,
    ])
  await insert('device_inventory', 'hash, collected_at', `'h', now()`)
  await insert('device_inventory_log', 'at, section, action, name', `now(), 'software', 'added', 'editor'`)
  await insert('device_metrics', 'at, boot_id, sequence', 'now(), 1, 1')
  await insert('device_metrics_five_minutes', 'at, samples', 'now(), 1')
  await insert('device_metrics_hours', 'at, samples', 'now(), 1')
  await insert('device_updates', 'version', `'1.0.0'`)
  await insert('device_duplicates', 'twin_id', '$4', [twin])
  await system.query('INSERT INTO device_reach (user_id, device_id) VALUES ($1, $2)', [here.orgAdmin.userId, deviceId])
}

async function deviceWithRows(): Promise<{ deviceId: string; commandId: string }> {
  const deviceId = await preparedDevice()
  const [twin = ''] = await enrolled(here.partnerAdmin, { orgId: from }, 'twin')
  await insertWorkerRows(deviceId, twin)
  await call(here.orgAdmin, groups.create, { orgId: from, name: 'Of the old', deviceIds: [deviceId] })
  const type = 'text' as const
  await call(here.orgAdmin, customFields.create, { orgId: from, key: 'room', type, label: 'Room' })
  await call(here.partnerAdmin, customFields.create, { key: 'asset', type, label: 'Asset' })
  await call(here.partnerAdmin, customFields.setValues, { id: deviceId, values: { room: secret, asset: 'A-1' } })
  const payload = { language: 'bash', script: `echo ${secret}`, env: { TOKEN: secret } }
  const { id: commandId } = await call(here.orgAdmin, commands.create, { id: deviceId, type: 'run_script', payload })
  const done = await call(here.orgAdmin, commands.create, { id: deviceId, type: 'run_script', payload })
  await system.query(`UPDATE device_commands SET status = 'completed', stdout = $2, exit_code = 0 WHERE id = $1`, [
    done.id,
    secret,
  ])
  await system.query(
    `INSERT INTO command_approvals (org_id, partner_id, requested_by, requested_as, type, payload, timeout_ms,
       expires_in_seconds, device_ids, hash, expires_at)
     VALUES ($1, $2, $3, '{}', 'run_script', $4, 1000, 60, ARRAY[$5::uuid], 'h', now() + interval '1 hour')`,
    [from, here.partner.id, here.orgAdmin.userId, payload, deviceId],
  )
  return { deviceId, commandId }
}

type Row = Readonly<Record<string, unknown>>
/** All rows that contain the device's id, also inside lists and JSON documents. */
async function rowsOf(deviceId: string): Promise<Map<string, Row[]>> {
  const found = new Map<string, Row[]>()
  for (const { name } of tables) {
    const { rows } = await owner.query<{ row: Row }>(
      `SELECT to_jsonb(t) AS row FROM ${name} t WHERE strpos(to_jsonb(t)::text, $1) > 0`,
      [deviceId],
    )
    if (rows.length > 0)
      found.set(
        name,
        rows.map(({ row }) => row),
      )
  }
  return found
}
const orgsOf = (rows: readonly Row[] = []) => [...new Set(rows.map((row) => row.org_id))]

const { deviceId, commandId } = await deviceWithRows()
const before = await rowsOf(deviceId)
await call(here.partnerAdmin, lifecycle.moveOrg, { id: deviceId, orgId: to })
const after = await rowsOf(deviceId)

const named = tables.filter(({ columns }) => columns.some(({ name }) => name === 'org_id' || /device|twin/.test(name)))
const judged = [...new Set([...named.map(({ name }) => name), ...before.keys(), ...after.keys()])].sort()

describe('every table with rows about a moved device has a declared fate', () => {
  it('lists only tables that exist', () => {
    expect(Object.keys(fates).filter((table) => !judged.includes(table))).toEqual([])
  })

  it.each(judged.map((table) => ({ table, fate: fates[table] })))('$table: $fate', ({ table, fate }) => {
    expect(fate, `add the fate of ${table} to moved.fates.ts`).toBeDefined()
    const [were, are] = [before.get(table) ?? [], after.get(table) ?? []]
    if (fate === 'of no device') expect([...were, ...are]).toEqual([])
    else expect(were.length, `deviceWithRows() inserts no row into ${table}`).toBeGreaterThan(0)
    if (fate === 'ends') expect(are).toEqual([])
    if (fate === 'moves') {
      expect(are).toHaveLength(were.length)
      expect(orgsOf(are)).toEqual([to])
    }
    if (fate === 'stays') {
      // New rows are allowed, such as the audit record of the move.
      const kept = are.filter((row) => were.some((old) => old.id === row.id && old.at === row.at))
      expect(kept).toHaveLength(were.length)
      expect(orgsOf(kept)).toEqual(orgsOf(were))
    }
  })
})

describe('the new organization of a moved device', () => {
  it('sees no earlier script, environment, output or field value in any table', async () => {
    const client = await people.connect()
    try {
      await client.query('BEGIN')
      await client.query(
        `SELECT set_config('muster.scope', '', true), set_config('muster.partner', '', true),
           set_config('muster.org', $1, true), set_config('muster.orgs', '', true),
           set_config('muster.user', $2, true), set_config('muster.home_partner', $3, true)`,
        [to, otherAdmin.userId, here.partner.id],
      )
      for (const { name } of tables) {
        const { rows: may } = await client.query<{ may: boolean }>(`SELECT has_table_privilege($1, 'SELECT') AS may`, [
          name,
        ])
        if (may[0]?.may !== true) continue
        const { rowCount } = await client.query(`SELECT FROM ${name} t WHERE strpos(to_jsonb(t)::text, $1) > 0`, [
          secret,
        ])
        expect(rowCount, name).toBe(0)
      }
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })

  it('gets no answer that contains them', async () => {
    const answers = [
      await call(otherAdmin, devices.get, { id: deviceId }),
      await call(otherAdmin, commands.list, { id: deviceId }),
      await refusal(call(otherAdmin, commands.get, { id: deviceId, commandId })),
    ]
    expect(JSON.stringify(answers)).not.toContain(secret)
    expect(answers[0]).toMatchObject({ orgId: to, customFields: { asset: 'A-1' } })
    expect(answers[1]).toMatchObject({ data: [] })
    expect(answers[2]).toMatchObject({ status: 404 })
  })
})

describe('a command from before the move', () => {
  it('is canceled with the reason, or withdrawn if it was waiting for approval', async () => {
    expect(await call(here.partnerAdmin, commands.get, { id: deviceId, commandId })).toMatchObject({
      orgId: from,
      status: 'cancelled',
      error: 'The device moved to another organization',
    })
    expect(after.get('command_approvals')).toMatchObject([{ status: 'withdrawn', org_id: from }])
  })

  it('is never sent: the first command that the agent gets is one of the new organization', async () => {
    await setState(deviceId, { status: 'online' })
    const node = await holding(deviceId)
    expect(await sendOpenCommands({ ...services, pool: system, signer: signerOf(services) }, [deviceId])).toBe(0)
    const { id } = await call(otherAdmin, commands.create, { id: deviceId, type: 'refresh_inventory' })
    expect((await node.next()).message).toMatchObject({ name: 'command', body: { id } })
  })

  it('sent during the move ends up in the organization of the device, or is rejected', async () => {
    for (let round = 0; round < 4; round++) {
      const [id = ''] = await enrolled(here.partnerAdmin, { orgId: from }, `racing-${round}`)
      const order = { id, type: 'run_script' as const, payload: { language: 'bash', script: 'true' } }
      await Promise.allSettled([
        call(here.orgAdmin, commands.create, order),
        call(here.partnerAdmin, lifecycle.moveOrg, { id, orgId: to }),
        call(here.partnerAdmin, commands.create, order),
      ])
      const { rows } = await system.query(
        `SELECT c.id FROM device_commands c JOIN devices d ON d.id = c.device_id
         WHERE c.device_id = $1 AND c.status = 'pending' AND c.org_id <> d.org_id`,
        [id],
      )
      expect(rows).toEqual([])
    }
  })
})
