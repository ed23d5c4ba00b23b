import { randomUUID } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { encodeCapabilities } from '@muster/wire/capabilities.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { devices } from '../../../fleet/devices/devices.contract.ts'
import { tags } from '../../../fleet/devices/tags.contract.ts'
import { groups } from '../../../fleet/groups/groups.contract.ts'
import { files } from '../../system-tools/files.contract.ts'
import { registry } from '../../system-tools/registry.contract.ts'
import { services } from '../../system-tools/services.contract.ts'
import { commands } from '../commands.contract.ts'
import { blastRadius } from './blast-radius.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [one = '', two = '', three = ''] = await enrolled(here.orgAdmin, { orgId }, 'bulk-1', 'bulk-2', 'bulk-3')
const script = { type: 'run_script', payload: { script: 'uptime' } } as const
const idsOf = (list: readonly { deviceId: string }[]) => list.map(({ deviceId }) => deviceId).sort()

/** A user of the organization who signed in long ago. */
async function longSignedIn() {
  const tenant = { scope: 'organization', partnerId: here.partner.id, orgId } as const
  const made = await person(tenant, { role: 'Org Admin' })
  await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
    made.sessionId,
  ])
  return made
}

describe('the targets of a bulk request', () => {
  it('are the devices of a group that match the filter and are not excluded', async () => {
    const group = await call(here.orgAdmin, groups.create, { orgId, name: 'Some', deviceIds: [one, two] })
    const by = async (chosen: object) => {
      const answer = await call(here.orgAdmin, commands.bulk, { type: 'refresh_inventory', ...chosen })
      await system.query(`UPDATE device_commands SET status = 'completed' WHERE batch_id = $1`, [answer.batchId])
      return idsOf(answer.commands)
    }
    expect(await by({ groupIds: [group.id] })).toEqual([one, two].sort())
    expect(await by({ groupIds: [group.id], exclude: { deviceIds: [two] } })).toEqual([one])
    expect(await by({ filter: { field: 'hostname', op: 'is', value: 'bulk-3' } })).toEqual([three])
    expect(await by({ orgIds: [orgId], exclude: { groupIds: [group.id] } })).toEqual([three])
    expect(await by({ groupIds: [group.id], filter: { field: 'hostname', op: 'is', value: 'bulk-1' } })).toEqual([one])
    const tag = 't'.repeat(100)
    await call(here.orgAdmin, tags.assign, { deviceIds: [two], add: [tag] })
    expect(await by({ tags: [tag] })).toEqual([two])
    expect(await refusal(by({}))).toMatchObject({ status: 400 })
  })

  it('fail if the caller does not see them, and are skipped if they receive no commands', async () => {
    const [foreign = ''] = await enrolled((await world()).orgAdmin, { orgId: here.otherOrg.id }, 'x').catch(() => [''])
    const absent = foreign || randomUUID()
    const answer = await call(here.orgAdmin, commands.bulk, { deviceIds: [one, two, absent], ...script })
    expect(answer.failed).toEqual([{ deviceId: absent, code: 'NOT_FOUND', message: 'Device not found' }])
    expect(answer.commands.length + answer.skipped.length + answer.failed.length).toBe(3)
  })

  it('are skipped with the reason if they do not support the command', async () => {
    const payload = { hive: 'HKEY_LOCAL_MACHINE', path: 'SOFTWARE' }
    const answer = await call(here.orgAdmin, commands.bulk, { deviceIds: [one], type: 'create_registry_key', payload })
    expect(answer).toMatchObject({ commands: [], batchId: null })
    expect(answer.skipped).toEqual([{ deviceId: one, reason: 'unsupported_platform' }])
    const told = await refusal(call(here.orgAdmin, commands.create, { id: one, type: 'create_registry_key', payload }))
    expect(told).toMatchObject({ status: 422, code: 'UNSUPPORTED_PLATFORM' })
  })

  it('rejects a script in a language that the system of the device lacks', async () => {
    const order = { type: 'run_script', payload: { script: 'dir', language: 'cmd' } } as const
    const told = await refusal(call(here.orgAdmin, commands.create, { id: one, ...order }))
    expect(told).toMatchObject({ status: 422, code: 'UNSUPPORTED_PLATFORM' })
    const { skipped } = await call(here.orgAdmin, commands.bulk, { deviceIds: [one], ...order })
    expect(skipped).toEqual([{ deviceId: one, reason: 'unsupported_platform' }])
  })
})

describe('a device whose agent says what it can do', () => {
  const reasons = {
    list_services: 'MISSING_TOOL',
    restart_service: 'MISSING_TOOL',
    'script:python': 'MISSING_TOOL',
    reboot: 'NOT_PERMITTED',
    'script:zsh': 'UNSUPPORTED_PLATFORM',
  } as const
  const python = { type: 'run_script', payload: { script: '1', language: 'python' } } as const
  const cases = [
    ['missing_tool', 409, 'MISSING_TOOL', python],
    ['missing_tool', 409, 'MISSING_TOOL', { type: 'restart_service', payload: { name: 'ssh' } }],
    ['not_permitted', 403, 'NOT_PERMITTED', { type: 'reboot' }],
    ['unsupported_platform', 422, 'UNSUPPORTED_PLATFORM', { ...python, payload: { script: '1', language: 'zsh' } }],
  ] as const
  let id = ''
  beforeAll(async () => {
    ;[id = ''] = await enrolled(here.orgAdmin, { orgId }, 'bulk-telling')
    const told = encodeCapabilities(reasons)
    await system.query('UPDATE devices SET capabilities = $2 WHERE id = $1', [id, told])
  })

  it.each(cases)('is skipped and refused with the reason: %s', async (reason, status, code, order) => {
    const { skipped } = await call(here.orgAdmin, commands.bulk, { deviceIds: [id, two], ...order })
    expect(skipped).toContainEqual({ deviceId: id, reason })
    expect(skipped).not.toContainEqual({ deviceId: two, reason })
    const told = await refusal(call(here.orgAdmin, commands.create, { id, ...order }))
    expect(told).toMatchObject({ status, code })
  })

  it('is not asked by system tools, even while it is offline', async () => {
    const told = await refusal(call(here.orgAdmin, services.list, { deviceId: id }))
    expect(told).toMatchObject({ status: 409, code: 'MISSING_TOOL' })
    const silent = await refusal(call(here.orgAdmin, services.list, { deviceId: two }))
    expect(silent).toMatchObject({ status: 409, code: 'DEVICE_OFFLINE' })
  })

  it('shows it, and other devices what their system has', async () => {
    const told = (await call(here.orgAdmin, devices.get, { id })).capabilities
    expect(told).toMatchObject({ reported: true, unavailable: reasons })
    expect(told.available).toContain('create_registry_key')
    const silent = (await call(here.orgAdmin, devices.get, { id: two })).capabilities
    expect(silent).toMatchObject({ reported: false, unavailable: { create_registry_key: 'UNSUPPORTED_PLATFORM' } })
    expect(silent.available).toEqual(expect.arrayContaining(['script:bash', 'list_services']))
  })
})

describe('a repeated request', () => {
  it('returns the commands of the first one, also when both are concurrent', async () => {
    const idempotencyKey = randomUUID()
    const ask = () => call(here.orgAdmin, commands.bulk, { deviceIds: [one, two], ...script, idempotencyKey })
    const answers = await Promise.all([ask(), ask(), ask()])
    const ids = answers.map(({ commands: sent }) => sent.map(({ id }) => id).sort())
    expect(ids[1]).toEqual(ids[0])
    expect(ids[2]).toEqual(ids[0])
    expect(new Set(answers.map(({ batchId }) => batchId)).size).toBe(1)
    const other = call(here.orgAdmin, commands.bulk, {
      deviceIds: [one],
      type: 'run_script',
      payload: { script: 'date' },
      idempotencyKey,
    })
    expect(await refusal(other)).toMatchObject({ status: 409 })
    const elsewhere = await call(here.partnerAdmin, commands.bulk, { deviceIds: [one], ...script, idempotencyKey })
    expect(elsewhere.commands[0]?.id).not.toBe(ids[0]?.[0])
  })

  it('sends a single command once', async () => {
    const ask = () => call(here.orgAdmin, commands.create, { id: three, ...script, idempotencyKey: 'the-same-key' })
    const [first, second] = [await ask(), await ask()]
    expect(second.id).toBe(first.id)
    const { pagination } = await call(here.orgAdmin, commands.list, { id: three, type: 'run_script' })
    expect(pagination.total).toBe(1)
  })
})

describe('the progress of a bulk request', () => {
  it('is counted by status for callers who see the devices', async () => {
    const { batchId } = await call(here.orgAdmin, commands.bulk, { deviceIds: [one, two], ...script })
    await system.query(
      `UPDATE device_commands SET status = 'completed', finished_at = now() WHERE batch_id = $1 AND device_id = $2`,
      [batchId, one],
    )
    const progress = await call(here.orgAdmin, commands.progress, { batchId: batchId ?? '' })
    expect(progress).toMatchObject({ total: 2, ended: 1, byStatus: { completed: 1, pending: 1 }, type: 'run_script' })
    expect(progress.commands.map(({ deviceId }) => deviceId).toSorted()).toEqual([one, two].toSorted())
    const open = await call(here.orgAdmin, commands.progress, { batchId: batchId ?? '', status: ['pending'] })
    expect(open.commands).toMatchObject([{ status: 'pending', orgName: expect.any(String) }])
    const outsider = (await world()).orgAdmin
    expect(await refusal(call(outsider, commands.progress, { batchId: batchId ?? '' }))).toMatchObject({ status: 404 })
    expect((await auditOf(one)).at(-1)).toMatchObject({ action: 'device.command.bulk' })
  })
})

describe('the blast radius of one account', () => {
  it('requires a fresh sign-in to change many machines, but not to look at them', async () => {
    const own = await world()
    const names = Array.from({ length: blastRadius.devices + 1 }, (_, index) => `wide-${index}`)
    const deviceIds = await enrolled(own.orgAdmin, { orgId: own.org.id }, ...names)
    const tenant = { scope: 'organization', partnerId: own.partner.id, orgId: own.org.id } as const
    const late = await person(tenant, { role: 'Org Admin' })
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
      late.sessionId,
    ])
    const told = await refusal(call(late, commands.bulk, { deviceIds, ...script }))
    expect(told).toMatchObject({ status: 403, extra: { confirm: 'currentPassword' } })
    const { rows } = await system.query('SELECT FROM device_commands WHERE org_id = $1', [own.org.id])
    expect(rows).toEqual([])
    expect((await call(late, commands.bulk, { deviceIds, type: 'refresh_inventory' })).commands).toHaveLength(
      deviceIds.length,
    )
    expect((await call(late, commands.bulk, { deviceIds: deviceIds.slice(1), ...script })).commands).toHaveLength(100)
    const [first = ''] = deviceIds
    expect(await refusal(call(late, commands.create, { id: first, ...script }))).toMatchObject({ status: 403 })
    const { pagination } = await call(late, commands.list, { id: first, type: script.type })
    expect(pagination.total).toBe(0)
    const recent = await call(own.orgAdmin, commands.bulk, { deviceIds, ...script })
    expect(recent.commands).toHaveLength(deviceIds.length)
  })

  it('requires a fresh sign-in to read files of many machines, but not to list them', async () => {
    const own = await world()
    const names = Array.from({ length: blastRadius.devices + 1 }, (_, index) => `read-${index}`)
    const deviceIds = await enrolled(own.orgAdmin, { orgId: own.org.id }, ...names)
    const tenant = { scope: 'organization', partnerId: own.partner.id, orgId: own.org.id } as const
    const late = await person(tenant, { role: 'Org Admin' })
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
      late.sessionId,
    ])
    const read = (deviceId: string) => refusal(call(late, files.download, { deviceId, path: '/etc/shadow' }))
    const [last = '', ...others] = deviceIds
    for (const deviceId of others) expect(await read(deviceId)).toMatchObject({ code: 'DEVICE_OFFLINE' })
    expect(await read(last)).toMatchObject({ status: 403, extra: { confirm: 'currentPassword' } })
    expect(await read(others[0] ?? '')).toMatchObject({ code: 'DEVICE_OFFLINE' })
    const listed = await refusal(call(late, files.list, { deviceId: last, path: '/etc' }))
    expect(listed).toMatchObject({ code: 'DEVICE_OFFLINE' })
    const records = (await auditOf(last)).filter(({ action }) => action === 'device.file.read')
    expect(records.filter(({ result }) => result === 'success')).toEqual([])
  })

  it('requires a fresh sign-in to read registry values of many machines, but not to list keys', async () => {
    const own = await world()
    const names = Array.from({ length: blastRadius.devices + 1 }, (_, index) => `registry-${index}`)
    const deviceIds = await enrolled(own.orgAdmin, { orgId: own.org.id }, ...names)
    await system.query(`UPDATE devices SET os_type = 'windows' WHERE org_id = $1`, [own.org.id])
    const late = await person(
      { scope: 'organization', partnerId: own.partner.id, orgId: own.org.id },
      { role: 'Org Admin' },
    )
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
      late.sessionId,
    ])
    const key = { hive: 'HKEY_LOCAL_MACHINE', path: 'SAM' } as const
    const read = (deviceId: string) => refusal(call(late, registry.values, { deviceId, ...key }))
    const [last = '', ...others] = deviceIds
    for (const deviceId of others) expect(await read(deviceId)).toMatchObject({ code: 'DEVICE_OFFLINE' })
    expect(await read(last)).toMatchObject({ status: 403, extra: { confirm: 'currentPassword' } })
    const value = refusal(call(late, registry.getValue, { deviceId: last, ...key, name: 'C' }))
    expect(await value).toMatchObject({ status: 403 })
    const listed = await refusal(call(late, registry.keys, { deviceId: last, ...key }))
    expect(listed).toMatchObject({ code: 'DEVICE_OFFLINE' })
  })

  it('requires a fresh sign-in for several organizations at once', async () => {
    const [other = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'beside')
    const partner = { scope: 'partner', partnerId: here.partner.id } as const
    const late = await person(partner, { role: 'Partner Admin' })
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
      late.sessionId,
    ])
    const told = await refusal(call(late, commands.bulk, { deviceIds: [one, other], ...script }))
    expect(told).toMatchObject({ status: 403 })
    expect((await call(late, commands.bulk, { deviceIds: [one], ...script })).commands).toHaveLength(1)
    const own = await longSignedIn()
    expect((await call(own, commands.bulk, { deviceIds: [one, two], ...script })).commands).toHaveLength(2)
  })
})

describe('the list of devices', () => {
  it('takes a filter of the filter language in both of its modes', async () => {
    const filter = JSON.stringify({
      any: [
        { field: 'hostname', op: 'is', value: 'bulk-1' },
        { field: 'hostname', op: 'endsWith', value: '-2' },
      ],
    })
    const cursor = await call(here.orgAdmin, devices.list, { filter, includeTotal: true, limit: 1 })
    if (!('devices' in cursor)) throw new Error('not the cursor mode')
    expect([cursor.total, cursor.devices.length]).toEqual([2, 1])
    const next = await call(here.orgAdmin, devices.list, { filter, limit: 1, cursor: cursor.nextCursor ?? '' })
    expect('devices' in next && next.devices[0]?.hostname).toBe('bulk-2')
    const paged = await call(here.orgAdmin, devices.list, { filter, page: 1 })
    expect('data' in paged && paged.pagination.total).toBe(2)
    expect(await refusal(call(here.orgAdmin, devices.list, { filter: '{"field":"nonsense"}' }))).toMatchObject({
      status: 400,
    })
    expect(await refusal(call(here.orgAdmin, devices.list, { filter: 'not json' }))).toMatchObject({ status: 400 })
  })

  it('shows metrics in the resolution that the range wants', async () => {
    const resolutionOf = async (minutes: number) =>
      (await call(here.orgAdmin, devices.metrics, { id: one, minutes })).resolution
    expect(await resolutionOf(60)).toBe('raw')
    expect(await resolutionOf(3 * 24 * 60)).toBe('five_minutes')
    expect(await resolutionOf(90 * 24 * 60)).toBe('hours')
  })
})
