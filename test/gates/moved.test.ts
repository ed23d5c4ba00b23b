// What moves with a device to another organization. Every table with rows about the device is read before and after the
// move, and the rows must match the fate that moved.fates.ts declares for the table.

import { deployments } from '@muster/areas/change/deployments/deployments.contract.ts'
import { executions } from '@muster/areas/change/scripts/executions/executions.contract.ts'
import { scripts } from '@muster/areas/change/scripts/scripts.contract.ts'
import { commands } from '@muster/areas/control/commands/commands.contract.ts'
import { sendOpenCommands } from '@muster/areas/control/commands/delivery/open-commands.ts'
import { signerOf } from '@muster/areas/control/commands/delivery/order-signer.ts'
import { lifecycle } from '@muster/areas/control/lifecycle/lifecycle.contract.ts'
import { defaultEffects } from '@muster/areas/control/maintenance/maintenance.contract.ts'
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
import { fates } from './moved.fates.ts'
import { tablesOf } from './pg-catalog.ts'

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
  await insert('device_watches', 'user_id', `'${here.orgAdmin.userId}'`)
  await insert('device_inventory', 'hash, collected_at', `'h', now()`)
  await insert('device_assignments', 'kind, items', `'rules', '[]'`)
  await insert('device_facts', 'fact_key', `'${'0'.repeat(32)}'`)
  await insert('device_inventory_log', 'at, section, action, name', `now(), 'software', 'added', 'editor'`)
  await insert('device_metrics', 'at, boot_id, sequence', 'now(), 1, 1')
  await insert('device_metrics_five_minutes', 'at, samples', 'now(), 1')
  await insert('device_metrics_hours', 'at, samples', 'now(), 1')
  await insert('device_updates', 'version', `'1.0.0'`)
  await insert('events', 'type', `'device.online'`)
  await insert('event_failures', 'follower, event_id, type, error', `'f', gen_random_uuid(), 'device.online', 'e'`)
  await insert('alerts', 'source, key, severity, title, message', `'system', $4, 'low', 'Moved', ''`, [
    `moved:${deviceId}`,
  ])
  await system.query(
    `WITH targets AS (INSERT INTO target_sets (partner_id, org_id, everything) VALUES ($3, $2, true) RETURNING id),
       rule AS (INSERT INTO alert_rules (partner_id, org_id, name, severity, target_set_id, conditions, kind)
         SELECT $3, $2, 'Moved', 'low', id, '{}', 'metric' FROM targets RETURNING id)
     INSERT INTO alert_states (rule_id, device_id, org_id, partner_id, phase, since) SELECT id, $1, $2, $3, 'pending', now() FROM rule`,
    tenant,
  )
  await system.query(
    `WITH made AS (INSERT INTO monitors (partner_id, org_id, device_id, name, type, target, config, interval_seconds, timeout_seconds, retries, probes)
         VALUES ($3, $2, $1, 'Moved', 'ping', 'host', '{}', 60, 5, 2, 1) RETURNING id),
       found AS (INSERT INTO monitor_results (monitor_id, device_id, org_id, partner_id, at, state, rounds, failed, answered)
         SELECT id, $1, $2, $3, now(), 'ok', 1, 0, 0 FROM made)
     INSERT INTO monitor_probes (monitor_id, device_id, org_id, partner_id) SELECT id, $1, $2, $3 FROM made`,
    tenant,
  )
  await system.query(
    `WITH t AS (INSERT INTO target_sets (partner_id, everything) VALUES ($3, true) RETURNING id),
       p AS (INSERT INTO device_policies (partner_id, name, target_set_id) SELECT $3, 'Moved', id FROM t RETURNING id),
       s AS (INSERT INTO device_policy_states (device_id, org_id, partner_id) VALUES ($1, $2, $3)),
       r AS (INSERT INTO device_policy_results (policy_id, device_id, org_id, partner_id, status) SELECT id, $1, $2, $3, 'pending' FROM p),
       m AS (INSERT INTO device_policy_remediations (policy_id, device_id, rule_key, org_id, partner_id, revision) SELECT id, $1, 'os', $2, $3, 1 FROM p),
       e AS (INSERT INTO device_policy_exceptions (policy_id, device_id, org_id, partner_id, reason) SELECT id, $1, $2, $3, 'Old' FROM p)
     INSERT INTO device_policy_transitions (policy_id, device_id, org_id, partner_id, before, after)
     SELECT id, $1, $2, $3, 'not_applicable', 'pending' FROM p`,
    tenant,
  )
  await insert('device_changes', 'fields', `'{place}'`)
  await insert('device_policy_marks', 'part', `'all'`)
  await insert('device_settings', 'own_auto_update', 'true')
  await insert('device_duplicates', 'twin_id', '$4', [twin])
  await system.query(
    `WITH made AS (INSERT INTO target_sets (partner_id, everything, device_ids) VALUES ($3, false, ARRAY[$1::uuid]) RETURNING id)
     INSERT INTO target_filter_members (set_id, device_id, org_id, partner_id) SELECT id, $1, $2, $3 FROM made`,
    tenant,
  )
  await system.query(
    `WITH t AS (INSERT INTO target_sets (partner_id, everything) VALUES ($3, true) RETURNING id),
      w AS (INSERT INTO maintenance_windows (partner_id, name, starts_at, timezone, duration_minutes, status, effects, target_set_id)
        SELECT $3, 'W', '2026-01-01T00:00', 'UTC', 60, 'completed', $4, id FROM t RETURNING id)
     INSERT INTO maintenance_occurrences (window_id, partner_id, org_id, timezone, local_start, starts_at, ends_at, not_returned)
     SELECT id, $3, $2, 'UTC', '2026-01-01T00:00', now(), now(), ARRAY[$1::uuid] FROM w`,
    [...tenant, defaultEffects],
  )
  await system.query(
    `INSERT INTO plan_grants (id, partner_id, org_id, kind, plan_id, work, device_ids, script_grant, expires_at)
     VALUES (gen_random_uuid(), $3, $2, 'deployment', gen_random_uuid(), 'w', ARRAY[$1::uuid], 'g', now() + interval '1 day')`,
    tenant,
  )
  await system.query(
    `WITH made AS (INSERT INTO automations (partner_id, org_id, name, enabled, status, trigger_type, trigger, actions, on_failure, overlap,
         max_devices_per_run, max_runs_per_hour, cooldown_seconds, respect_maintenance, owner_id, owned_as)
         VALUES ($3, $2, 'Moved', true, 'enabled', 'manual', '{"type": "manual"}', '[{"type": "wait", "seconds": 1}]', 'stop', 'skip', 1, 1, 0, true, $4, '{}') RETURNING id),
       run AS (INSERT INTO automation_runs (automation_id, partner_id, org_id, triggered_by, trigger_key, status, due_at)
         SELECT id, $3, $2, 'manual', 'moved', 'completed', NULL FROM made RETURNING id, automation_id),
       step AS (INSERT INTO automation_steps (run_id, number, partner_id, org_id, type) SELECT id, 1, $3, $2, 'wait' FROM run),
       task AS (INSERT INTO automation_step_devices (run_id, step, device_id, org_id, partner_id) SELECT id, 1, $1, $2, $3 FROM run),
       report AS (INSERT INTO automation_reports (run_id, step, device_id, org_id, partner_id, attempt) SELECT id, 1, $1, $2, $3, 1 FROM run)
     INSERT INTO automation_run_devices (run_id, automation_id, device_id, org_id, partner_id) SELECT id, automation_id, $1, $2, $3 FROM run`,
    [...tenant, here.orgAdmin.userId],
  )
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
  const kept = { orgId: from, name: 'Kept', language: 'bash' as const, content: `echo ${secret}` }
  const { id: scriptId } = await call(here.orgAdmin, scripts.create, kept)
  await call(here.orgAdmin, executions.execute, { id: scriptId, deviceIds: [deviceId] })
  const { id: deploymentId } = await call(here.orgAdmin, deployments.create, {
    ...{ orgId: from, name: 'Staged', targets: { deviceIds: [deviceId] } },
    order: { kind: 'command', type: 'refresh_inventory' },
  })
  await call(here.orgAdmin, deployments.initialize, { id: deploymentId })
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
