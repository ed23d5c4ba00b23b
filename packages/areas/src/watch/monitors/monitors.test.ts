import { asSystem } from '@muster/db/database.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, world } from '@muster/testkit/world.ts'
import { encodeCapabilities } from '@muster/wire/capabilities.ts'
import { describe, expect, it } from 'vitest'
import { roles } from '../../access/roles/roles.contract.ts'
import type { Observed } from '../../background/observer.ts'
import { alerts } from '../alerts/alerts.contract.ts'
import { monitorAlerts } from './alerts/alerts.contract.ts'
import { observe } from './checks/observe.ts'
import { monitors } from './monitors.contract.ts'
import { placeProbes, sweepMonitors } from './probes/place-probes.jobs.ts'

const { system, log } = await testServices()
const parts = await testWorkerParts()
const here = await world()
const place = { orgId: here.org.id, siteId: here.site.id }
const [first = '', second = ''] = await enrolled(here.partnerAdmin, place, 'first', 'second')
const [distant = ''] = await enrolled(here.partnerAdmin, { orgId: here.org.id, siteId: null }, 'distant')

async function connect(...ids: string[]): Promise<void> {
  for (const id of ids) await setState(id, { status: 'online', statusAt: new Date().toISOString() })
  await system.query('UPDATE devices SET capabilities = $2 WHERE id = ANY ($1)', [ids, encodeCapabilities({})])
}
const disconnect = (id: string) => setState(id, { status: 'offline', statusAt: new Date().toISOString() })

const create = (more: Readonly<Record<string, unknown>> = {}) =>
  call(here.orgAdmin, monitors.create, {
    ...place,
    name: 'Web',
    type: 'http',
    target: 'https://www.example.com/',
    retries: 1,
    ...more,
  })
const refused = (more: Readonly<Record<string, unknown>>) =>
  refusal(
    call(here.orgAdmin, monitors.create, {
      ...place,
      name: 'X',
      type: 'tcp',
      target: 'a.example',
      config: { port: 80 },
      ...more,
    }),
  )
const find = (id: string) => call(here.orgAdmin, monitors.get, { id })

let clock = Date.now() - 3_600_000
const report = (id: string, deviceId: string, state: Observed['state'], more: Partial<Observed> = {}) => {
  clock += 1_000
  const failed = state === 'failed' ? 1 : 0
  return asSystem(system, (db) => observe(db, [{ id, deviceId, at: clock, state, rounds: 1, failed, ...more }], log))
}
async function placed(more: Readonly<Record<string, unknown>> = {}) {
  await connect(first, second)
  const { id } = await create(more)
  await placeProbes(parts)
  const { assignedDeviceIds } = await find(id)
  return { id, probe: assignedDeviceIds[0] ?? '', probes: assignedDeviceIds }
}
const openAlerts = async (id: string) =>
  (await call(here.orgAdmin, alerts.list, { source: ['monitor'], limit: 100 })).data.filter(
    ({ monitorId, status }) => monitorId === id && status !== 'resolved',
  )
const itemsOf = async (deviceId: string) =>
  (await system.query("SELECT items FROM device_assignments WHERE device_id = $1 AND kind = 'monitors'", [deviceId]))
    .rows[0]?.items ?? []

describe('a new monitor', () => {
  it('has the defaults, an offline rule, and no status', async () => {
    const made = await create()
    expect(made).toMatchObject({
      intervalSeconds: 60,
      timeoutSeconds: 5,
      probes: 1,
      enabled: true,
      status: 'unknown',
      statusReason: 'not_checked',
      uptime24h: null,
      config: { method: 'GET', verifyTls: true, headerNames: [], hasBody: false },
    })
    const { data } = await call(here.orgAdmin, monitorAlerts.list, { monitorId: made.id })
    expect(data).toMatchObject([{ condition: 'offline', severity: 'high', consecutive: 1, enabled: true }])
  })

  it('is refused for printers, for link-local addresses, and for the machine itself without deviceId', async () => {
    expect(await refused({ config: { port: 9_100 } })).toMatchObject({ status: 400 })
    expect(await refused({ target: '169.254.169.254', deviceId: first })).toMatchObject({ status: 400 })
    expect(await refused({ target: '127.0.0.1' })).toMatchObject({ status: 400 })
    expect(await refused({ config: {} })).toMatchObject({ status: 400, message: 'config.port: is required' })
    expect(await refused({ siteId: first })).toMatchObject({ status: 400 })
    expect(await refused({ deviceId: here.site.id })).toMatchObject({ status: 400 })
    expect(await refused({ deviceId: distant })).toMatchObject({
      status: 400,
      message: `deviceId: ${distant} belongs to another site`,
    })
    expect(await create({ type: 'tcp', target: '127.0.0.1', config: { port: 80 }, deviceId: first })).toMatchObject({
      deviceId: first,
    })
  })

  it('is refused where its values contradict each other', async () => {
    const wrong: [Readonly<Record<string, unknown>>, string][] = [
      [{ timeoutSeconds: 60, intervalSeconds: 10 }, 'timeoutSeconds: must not be above intervalSeconds'],
      [{ degradedMs: 60_000 }, 'degradedMs: must be below timeoutSeconds'],
      [{ probes: 3, deviceId: first }, 'probes: must be 1 with deviceId, which is the only probe'],
      [{ type: 'dns', target: 'not a name', config: {} }, 'target: must be a domain name such as www.example.com'],
    ]
    for (const [more, message] of wrong) expect(await refused(more)).toMatchObject({ status: 400, message })
    const { id } = await create({ timeoutSeconds: 10 })
    expect(await refusal(call(here.orgAdmin, monitors.update, { id, degradedMs: 10_000 }))).toMatchObject({
      status: 400,
    })
    expect(
      await refusal(call(here.orgAdmin, monitors.test, { id, intervalSeconds: 10, timeoutSeconds: 11 })),
    ).toMatchObject({ status: 400 })
  })

  it('needs devices:execute for a method that changes something', async () => {
    const scope = { scope: 'organization' as const, partnerId: here.partner.id, orgId: here.org.id }
    const role = await call(here.orgAdmin, roles.create, {
      name: 'Watcher',
      permissions: (['read', 'write'] as const).map((action) => ({ resource: 'alerts' as const, action })),
    })
    const watcher = await person(scope, { role: 'Org Admin' })
    await system.query('UPDATE organization_users SET role_id = $2 WHERE user_id = $1', [watcher.userId, role.id])
    const given = {
      ...place,
      name: 'Post',
      type: 'http' as const,
      target: 'https://a.example/',
      config: { method: 'POST' },
    }
    expect(await refusal(call(watcher, monitors.create, given))).toMatchObject({ status: 403 })
    expect(await create({ config: { method: 'POST' } })).toMatchObject({ config: { method: 'POST' } })
  })

  it('is listed and renamed when its headers cannot be opened', async () => {
    const { id } = await create({ config: { headers: { Authorization: 'Bearer s3cret' } } })
    await system.query(`UPDATE monitors SET secrets = 'sealed elsewhere' WHERE id = $1`, [id])
    const { data } = await call(here.orgAdmin, monitors.list, { limit: 100 })
    expect(data.find((each) => each.id === id)?.config).toMatchObject({ headerNames: ['Authorization'] })
    const renamed = await call(here.orgAdmin, monitors.update, { id, name: 'Renamed' })
    expect(renamed.config).toMatchObject({ headerNames: ['Authorization'], hasBody: false })
  })

  it('never shows headers and body again, and stores them sealed', async () => {
    const headers = { Authorization: 'Bearer only-for-the-probe' }
    const { id, probe } = await placed({ config: { headers, body: 'a secret body', method: 'POST' } })
    const shown = await find(id)
    expect(shown.config).toMatchObject({ headerNames: ['Authorization'], hasBody: true })
    for (const table of ['monitors', 'device_assignments', 'audit_logs']) {
      const { rows } = await system.query(
        `SELECT FROM ${table} t WHERE to_jsonb(t)::text ~ 'only-for-the-probe|a secret body'`,
      )
      expect(rows, table).toEqual([])
    }
    expect((await itemsOf(probe)).find((item: { id: string }) => item.id === id)).toMatchObject({
      sealed: { context: `monitor ${id}` },
    })
    await call(here.orgAdmin, monitors.update, { id, config: { expectStatus: [204] } })
    expect((await find(id)).config).toMatchObject({ headerNames: ['Authorization'], expectStatus: [204] })
    const elsewhere = { id, target: 'https://other.example.com/' }
    const required = { status: 400, message: expect.stringContaining('config.headers: is required again') }
    expect(await refusal(call(here.orgAdmin, monitors.update, elsewhere))).toMatchObject(required)
    expect(await refusal(call(here.orgAdmin, monitors.test, elsewhere))).toMatchObject(required)
    await call(here.orgAdmin, monitors.update, { id, config: { headers: {}, body: null } })
    expect((await find(id)).config).toMatchObject({ headerNames: [], hasBody: false })
  })
})

describe('probes', () => {
  it('are connected devices of the site, else of the organization, and a lost one is replaced', async () => {
    await connect(first, second, distant)
    const { id } = await create({ probes: 2 })
    await placeProbes(parts)
    expect((await find(id)).assignedDeviceIds).toEqual([first, second].sort())
    expect((await itemsOf(first)).some((item: { id: string }) => item.id === id)).toBe(true)
    await disconnect(first)
    await placeProbes(parts)
    expect((await find(id)).assignedDeviceIds).toEqual([second, distant].sort())
    expect((await itemsOf(first)).some((item: { id: string }) => item.id === id)).toBe(false)
    await connect(first)
    await placeProbes(parts)
    expect((await find(id)).assignedDeviceIds).toEqual([first, second].sort())
  })

  it('are none when no device is connected, which rules can tell', async () => {
    const { id } = await placed()
    await call(here.orgAdmin, monitorAlerts.create, { monitorId: id, condition: 'noProbe', severity: 'low' })
    for (const device of [first, second, distant]) await disconnect(device)
    await placeProbes(parts)
    expect(await find(id)).toMatchObject({ status: 'unknown', statusReason: 'no_probe', assignedDeviceIds: [] })
    expect(await openAlerts(id)).toMatchObject([{ severity: 'low', siteId: here.site.id, deviceId: null }])
    expect(await refusal(call(here.orgAdmin, monitors.check, { id }))).toMatchObject({ status: 409, code: 'NO_PROBE' })
    await connect(first)
    await placeProbes(parts)
    expect(await find(id)).toMatchObject({ status: 'unknown', statusReason: 'not_checked', assignedDeviceIds: [first] })
    expect(await openAlerts(id)).toEqual([])
  })

  it('that cannot do the check are replaced by another', async () => {
    const { id, probe } = await placed()
    await report(id, probe, 'unknown', { text: 'ping is not installed' })
    await placeProbes(parts)
    const { assignedDeviceIds } = await find(id)
    expect(assignedDeviceIds).toHaveLength(1)
    expect(assignedDeviceIds).not.toContain(probe)
  })

  it('are looked for again when one is deleted, and after a change that only the sweep can see', async () => {
    const { id, probe } = await placed()
    await placeProbes(parts)
    const wants = async () =>
      (await system.query('SELECT wants_probes FROM monitors WHERE id = $1', [id])).rows[0]?.wants_probes
    expect(await wants()).toBe(false)
    await system.query('DELETE FROM monitor_probes WHERE monitor_id = $1', [id])
    expect(await wants()).toBe(true)
    await placeProbes(parts)
    expect((await find(id)).assignedDeviceIds).toHaveLength(1)
    await placeProbes(parts)
    await setState(probe, { status: 'updating', statusAt: new Date(0).toISOString() })
    expect(await wants()).toBe(false)
    await sweepMonitors(system)
    await placeProbes(parts)
    expect((await find(id)).assignedDeviceIds).not.toContain(probe)
    await connect(probe)
  })

  it('are asked by /check only once they are chosen, because their results are stored', async () => {
    await connect(first)
    const { id } = await create({ deviceId: first })
    expect(await refusal(call(here.orgAdmin, monitors.check, { id }))).toMatchObject({ status: 409, code: 'NO_PROBE' })
  })

  it('are the pinned device alone', async () => {
    const { id, probes } = await placed({ deviceId: second })
    expect(probes).toEqual([second])
    await disconnect(second)
    await placeProbes(parts)
    expect(await find(id)).toMatchObject({ statusReason: 'no_probe', assignedDeviceIds: [] })
  })
})

describe('observations', () => {
  it('make a monitor offline after retries + 1 rounds, raise its alert, and clear it after one good round', async () => {
    const { id, probe } = await placed()
    await report(id, probe, 'ok', { minMs: 20, maxMs: 20, sumMs: 20 })
    expect(await find(id)).toMatchObject({ status: 'online', statusReason: null, lastResponseMs: 20 })
    await report(id, probe, 'failed', { text: 'answered 500' })
    expect((await find(id)).status).toBe('online')
    await report(id, probe, 'failed', { text: 'answered 500' })
    expect(await find(id)).toMatchObject({ status: 'offline', statusReason: 'answered 500' })
    expect(await openAlerts(id)).toMatchObject([{ title: 'Web is offline', status: 'active', source: 'monitor' }])
    await report(id, probe, 'ok')
    expect((await find(id)).status).toBe('online')
    expect(await openAlerts(id)).toEqual([])
    const { rows } = await system.query(
      `SELECT data->>'status' AS status FROM events WHERE type = 'monitor.changed' AND data->>'monitorId' = $1 ORDER BY seq`,
      [id],
    )
    expect(rows.map(({ status }) => status)).toEqual(['online', 'offline', 'online'])
  })

  it('count once, however often they are repeated', async () => {
    const { id, probe } = await placed()
    const same = { at: clock + 500, minMs: 10, maxMs: 30, sumMs: 40, rounds: 2 }
    await report(id, probe, 'ok', same)
    await report(id, probe, 'ok', same)
    const from = new Date(clock - 80_000_000).toISOString()
    for (const resolution of ['raw', '5m', '1h'] as const) {
      const { data } = await call(here.orgAdmin, monitors.results, { id, from, resolution })
      expect(data).toMatchObject([{ rounds: 2, failed: 0, responseMs: 20, minMs: 10, maxMs: 30 }])
    }
  })

  it('of one of three probes change nothing, those of two do', async () => {
    await connect(distant)
    const { id, probes } = await placed({ probes: 3, retries: 0 })
    expect(probes).toHaveLength(3)
    for (const probe of probes) await report(id, probe, 'ok')
    await report(id, probes[0] ?? '', 'failed')
    expect((await find(id)).status).toBe('online')
    await report(id, probes[1] ?? '', 'failed')
    expect((await find(id)).status).toBe('offline')
  })

  it('raise alerts for slow answers in a row and for certificates', async () => {
    const { id, probe } = await placed({ type: 'http', target: 'https://www.example.com/', config: {} })
    const rule = { monitorId: id, severity: 'low' as const }
    await call(here.orgAdmin, monitorAlerts.create, {
      ...rule,
      condition: 'responseTime',
      threshold: 100,
      consecutive: 2,
    })
    await call(here.orgAdmin, monitorAlerts.create, { ...rule, condition: 'certificate', threshold: 14 })
    const slow = { minMs: 300, maxMs: 300, sumMs: 300 }
    await report(id, probe, 'ok', slow)
    expect(await openAlerts(id)).toEqual([])
    await report(id, probe, 'ok', { ...slow, certificateExpiresAt: Date.now() + 3.5 * 86_400_000 })
    expect((await openAlerts(id)).map(({ title }) => title).sort()).toEqual([
      'The certificate of Web expires',
      'Web is slow',
    ])
    await report(id, probe, 'ok', { minMs: 3, maxMs: 3, sumMs: 3, certificateExpiresAt: Date.now() + 90 * 86_400_000 })
    expect(await openAlerts(id)).toEqual([])
  })

  it.each<[string, object]>([
    ['another target', { target: 'https://other.example.com/' }],
    ['another question', { config: { expectStatus: [204] } }],
    ['a pause', { enabled: false }],
  ])('end with %s, and so do the alerts that they raised', async (_name, change) => {
    const { id, probe } = await placed({ type: 'http', target: 'https://www.example.com/', config: {} })
    const rule = { monitorId: id, severity: 'low' as const, condition: 'certificate' as const, threshold: 14 }
    const { id: ruleId } = await call(here.orgAdmin, monitorAlerts.create, rule)
    await report(id, probe, 'ok', { certificateExpiresAt: Date.now() + 3.5 * 86_400_000 })
    const [alert] = await openAlerts(id)
    await call(here.orgAdmin, monitors.update, { id, name: 'Renamed' })
    expect(await openAlerts(id)).toHaveLength(1)
    await call(here.orgAdmin, monitors.update, { id, ...change })
    expect(await call(here.orgAdmin, alerts.get, { id: alert?.id ?? '' })).toMatchObject({
      status: 'resolved',
      resolution: 'enabled' in change ? 'rule_disabled' : 'rule_changed',
      resolvedBy: here.orgAdmin.userId,
    })
    expect((await find(id)).status).toBe('enabled' in change ? 'paused' : 'unknown')
    if ('enabled' in change) return
    await report(id, probe, 'ok', { certificateExpiresAt: Date.now() + 3.5 * 86_400_000 })
    expect(await openAlerts(id)).toHaveLength(1)
    await call(here.orgAdmin, monitorAlerts.remove, { id: ruleId })
    expect(await openAlerts(id)).toEqual([])
  })

  it('stop with the monitor: a paused one is not assigned, and its alerts end', async () => {
    const { id, probe } = await placed({ retries: 0 })
    await report(id, probe, 'failed')
    expect(await openAlerts(id)).toHaveLength(1)
    expect(await call(here.orgAdmin, monitors.update, { id, enabled: false })).toMatchObject({
      status: 'paused',
      assignedDeviceIds: [],
    })
    expect(await openAlerts(id)).toEqual([])
    expect(await refusal(call(here.orgAdmin, monitors.check, { id }))).toMatchObject({
      status: 409,
      message: 'The monitor is paused',
    })
    await placeProbes(parts)
    expect(await find(id)).toMatchObject({ status: 'paused', assignedDeviceIds: [] })
    expect((await itemsOf(probe)).some((item: { id: string }) => item.id === id)).toBe(false)
    await call(here.orgAdmin, monitors.update, { id, enabled: true })
    await placeProbes(parts)
    expect((await find(id)).assignedDeviceIds).toHaveLength(1)
    await call(here.orgAdmin, monitors.remove, { id })
    expect((await itemsOf(probe)).some((item: { id: string }) => item.id === id)).toBe(false)
  })
})

describe('the dashboard', () => {
  it('counts statuses, and shows uptime, the slowest and incidents', async () => {
    const { id, probe } = await placed({ retries: 0, name: 'Slowest' })
    await report(id, probe, 'ok', { minMs: 9_000, maxMs: 9_000, sumMs: 9_000 })
    await report(id, probe, 'failed', { text: 'gone' })
    await system.query(
      `UPDATE monitor_spans SET began_at = began_at - interval '1 hour' WHERE monitor_id = $1 AND status = 'offline'`,
      [id],
    )
    await report(id, probe, 'ok', { minMs: 9_000, maxMs: 9_000, sumMs: 9_000 })
    const found = await call(here.orgAdmin, monitors.dashboard, {})
    expect(found.byStatus.online).toBeGreaterThan(0)
    expect(found.slowest[0]).toMatchObject({ monitorId: id, responseMs: 9_000 })
    expect(found.incidents).toContainEqual(expect.objectContaining({ monitorId: id, reason: 'gone' }))
    expect((await find(id)).uptime24h).toBeLessThan(50)
  })
})
