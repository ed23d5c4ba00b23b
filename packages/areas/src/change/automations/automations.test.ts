import { randomUUID } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { customFields } from '../../fleet/custom-fields/custom-fields.contract.ts'
import { alertChannels } from '../../watch/channels/channels.contract.ts'
import { automations } from './automations.contract.ts'

const { system } = await testServices()
const { org, partner, partnerAdmin, orgAdmin } = await world()
const orgId = org.id
const manual = { type: 'manual' } as const
const tag = { type: 'add_tag', tag: 'seen' } as const
const made = (given: object = {}) =>
  call(partnerAdmin, automations.create, {
    orgId,
    name: `A ${randomUUID()}`,
    trigger: manual,
    actions: [tag],
    ...given,
  })

describe('an automation', () => {
  it('is made with its defaults, enabled and in the name of its maker', async () => {
    const { id } = await made()
    expect(await call(partnerAdmin, automations.get, { id })).toMatchObject({
      ...{ enabled: true, status: 'enabled', statusReason: null, onFailure: 'stop', overlap: 'skip' },
      ...{ maxDevicesPerRun: 100, maxRunsPerHour: 60, cooldownSeconds: 0, respectMaintenance: true, conditions: null },
      ...{ nextRunAt: null, lastRunAt: null, ownerId: partnerAdmin.userId, createdBy: partnerAdmin.userId },
      actions: [{ type: 'add_tag', tag: 'seen', retries: 0, retryDelaySeconds: 60 }],
    })
    expect(await auditOf(id)).toMatchObject([{ action: 'automation.create' }])
  })

  it('of the whole partner is hidden from its organizations', async () => {
    const { id } = await made({ orgId: null })
    expect(await refusal(call(orgAdmin, automations.get, { id }))).toMatchObject({ status: 404 })
    const { data } = await call(orgAdmin, automations.list, { limit: 100 })
    expect(data.some((each) => each.id === id)).toBe(false)
  })

  it('is listed by its trigger, its status and a part of its name', async () => {
    const mark = randomUUID()
    const { id } = await made({ name: `Nightly ${mark}`, trigger: { type: 'schedule', cron: '0 1 * * *' } })
    const { id: off } = await made({ name: `By hand ${mark}`, enabled: false })
    const idsOf = async (narrowed: object) =>
      (await call(partnerAdmin, automations.list, { search: mark.toUpperCase(), ...narrowed })).data.map(
        (one) => one.id,
      )
    expect(await idsOf({})).toEqual([off, id])
    expect(await idsOf({ trigger: 'schedule' })).toEqual([id])
    expect(await idsOf({ trigger: 'manual', status: 'disabled' })).toEqual([off])
    expect(await idsOf({ trigger: 'webhook' })).toEqual([])
  })

  it('has the next time of its schedule, which follows changes and ends when it is disabled', async () => {
    const trigger = { type: 'schedule', cron: '30 3 * * *', timezone: 'europe/berlin' } as const
    const { id, nextRunAt, trigger: stored } = await made({ trigger })
    expect(stored).toMatchObject({ timezone: 'Europe/Berlin', catchUpSeconds: 3_600 })
    expect(Date.parse(nextRunAt ?? '')).toBeGreaterThan(Date.now())
    const later = await call(partnerAdmin, automations.update, { id, trigger: { ...trigger, cron: '0 0 1 1 *' } })
    expect(later.nextRunAt).not.toBe(nextRunAt)
    const off = await call(partnerAdmin, automations.update, { id, enabled: false })
    expect(off).toMatchObject({ enabled: false, status: 'disabled', nextRunAt: null })
  })

  it('passes to who changes what it does, and keeps its owner when only its name changes', async () => {
    const { id } = await made()
    const other = await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Admin' })
    expect(await call(other, automations.update, { id, name: 'Renamed' })).toMatchObject({
      ownerId: partnerAdmin.userId,
    })
    expect(await call(other, automations.update, { id, cooldownSeconds: 9 })).toMatchObject({ ownerId: other.userId })
  })

  it('is enabled only with the permissions that its actions need', async () => {
    const viewer = await person({ scope: 'partner', partnerId: partner.id }, { role: 'Partner Technician' })
    const webhook = { type: 'webhook', url: 'https://example.com/x' } as const
    const given = { orgId, name: 'W', trigger: manual, actions: [webhook] }
    const refused = await refusal(call(viewer, automations.create, given))
    expect(refused).toMatchObject({ status: 403, message: expect.stringContaining('settings:write') })
    const { id } = await call(viewer, automations.create, { ...given, actions: [tag] })
    expect(await refusal(call(viewer, automations.update, { id, actions: [webhook] }))).toMatchObject({ status: 403 })
    const disabled = await call(viewer, automations.create, { ...given, enabled: false })
    expect(disabled.status).toBe('disabled')
    expect(await refusal(call(viewer, automations.update, { id: disabled.id, enabled: true }))).toMatchObject({
      status: 403,
    })
  })

  it('is deleted with its runs', async () => {
    const { id } = await made()
    await call(partnerAdmin, automations.remove, { id })
    expect(await refusal(call(partnerAdmin, automations.get, { id }))).toMatchObject({ status: 404 })
  })
})

describe('a request is refused, naming the field, and stores nothing', () => {
  it.each([
    ['trigger', { trigger: { type: 'schedule', cron: '61 * * * *' } }, 'trigger.cron'],
    ['time zone', { trigger: { type: 'schedule', cron: '* * * * *', timezone: 'Mars/One' } }, 'trigger.timezone'],
    ['date that never comes', { trigger: { type: 'schedule', cron: '0 0 31 2 *' } }, 'trigger.cron'],
    ['event', { trigger: { type: 'event', event: 'device.exploded' } }, 'trigger.event'],
    [
      'time for an event without an opposite',
      { trigger: { type: 'event', event: 'device.enrolled', forSeconds: 5 } },
      'forSeconds',
    ],
    ['template', { actions: [{ type: 'notify', title: '{{ x', message: 'm' }] }, 'actions.0.title'],
    ['filter', { conditions: { field: 'custom.nothing', op: 'is', value: 'x' } }, 'custom.nothing'],
    ['custom field', { actions: [{ type: 'set_field', key: 'nothing', value: 'x' }] }, 'actions.0.key'],
    ['channel', { actions: [{ type: 'notify', title: 't', message: 'm', channelIds: [randomUUID()] }] }, 'channelIds'],
    ['server in a template', { actions: [{ type: 'webhook', url: 'https://{{ event.host }}/x' }] }, 'actions.0.url'],
    ['address', { actions: [tag, { type: 'webhook', url: 'http://169.254.169.254/latest' }] }, 'actions.1.url'],
    [
      'payload of a command',
      { actions: [tag, { type: 'command', command: 'start_service', payload: { name: '' } }] },
      'actions.1.payload.name',
    ],
    ['action', { actions: [{ type: 'explode' }] }, 'actions.0'],
  ])('for a wrong %s', async (_what, given, field) => {
    const name = `Wrong ${randomUUID()}`
    const asked = refusal(
      call(partnerAdmin, automations.create, { orgId, name, trigger: manual, actions: [tag], ...given } as never),
    )
    const { status, message, extra } = await asked
    expect(status).toBe(400)
    expect(`${message} ${JSON.stringify(extra)}`).toContain(field)
    const { rows } = await system.query('SELECT FROM automations WHERE name = $1', [name])
    expect(rows).toEqual([])
  })
})

describe('the values of headers', () => {
  it('are sealed, never answered, and kept where *** is sent for the same server', async () => {
    const webhook = { type: 'webhook' as const, url: 'https://example.com/a', headers: { 'X-Token': 'secret-value' } }
    const { id, actions } = await made({ actions: [webhook] })
    expect(actions).toMatchObject([{ headers: { 'X-Token': '***' } }])
    const stored = async () =>
      (await system.query<{ a: string }>('SELECT actions::text AS a FROM automations WHERE id = $1', [id])).rows[0]
        ?.a ?? ''
    const before = await stored()
    expect(before).not.toContain('secret-value')
    const sealed = /"X-Token": "([^"]+)"/.exec(before)?.[1]
    const kept = { ...webhook, url: 'https://example.com/b', headers: { 'X-Token': '***' } }
    await call(partnerAdmin, automations.update, { id, actions: [kept] })
    expect(await stored()).toContain(sealed)
    const elsewhere = { ...kept, url: 'https://example.org/b' }
    expect(await refusal(call(partnerAdmin, automations.update, { id, actions: [elsewhere] }))).toMatchObject({
      status: 400,
    })
    const records = JSON.stringify(await auditOf(id))
    expect(records).not.toContain('secret-value')
  })
})

it('a channel that an automation uses is not deleted', async () => {
  const channel = await call(partnerAdmin, alertChannels.create, {
    ...{ orgId, name: `C ${randomUUID()}`, type: 'webhook' as const, config: { url: 'https://example.com/c' } },
  })
  const { id } = await made({ actions: [{ type: 'notify', title: 't', message: 'm', channelIds: [channel.id] }] })
  expect(await refusal(call(partnerAdmin, alertChannels.remove, { id: channel.id }))).toMatchObject({ status: 409 })
  await call(partnerAdmin, automations.remove, { id })
  await call(partnerAdmin, alertChannels.remove, { id: channel.id })
})

it('a field of a device is set only if it is defined', async () => {
  await call(partnerAdmin, customFields.create, { orgId, key: 'rack', label: 'Rack', type: 'text' })
  const { actions } = await made({ actions: [{ type: 'set_field', key: 'rack', value: '{{ device.hostname }}' }] })
  expect(actions).toHaveLength(1)
})
