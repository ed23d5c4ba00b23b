import { randomUUID } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { alerts } from '../alerts/alerts.contract.ts'
import { ConditionsInput, conditionKinds, kindOf } from '../alerts/rules/conditions.contract.ts'
import { rules } from '../alerts/rules/rules.contract.ts'
import { firedFor } from '../alerts/testing/fired.ts'
import { alertChannels as channels } from '../channels/channels.contract.ts'
import { policies } from '../policies/policies.contract.ts'
import { templates } from './templates.contract.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [deviceId = ''] = await enrolled(here.partnerAdmin, { orgId, siteId: here.site.id }, 'templated')

const threshold = { name: 'threshold', type: 'number' as const, default: 90, min: 1, max: 100 }
const cpu = (limit: unknown) => ({
  kind: 'metric' as const,
  metric: 'cpuPercent' as const,
  operator: 'gt' as const,
  threshold: limit,
})
let count = 0
const create = (more: object = {}) =>
  call(here.orgAdmin, templates.create, {
    orgId,
    key: `busy-${++count}`,
    name: 'Busy',
    severity: 'high',
    conditions: cpu({ parameter: 'threshold' }),
    parameters: [threshold],
    title: '{{ device.name }} is above {{ parameters.threshold }}',
    ...more,
  })
const ruleOf = (templateId: string, more: object = {}) =>
  call(here.orgAdmin, rules.create, { orgId, templateId, ...more })
const channelOf = (name: string) =>
  call(here.orgAdmin, channels.create, { orgId, name, type: 'email', config: { to: ['a@example.org'] } })
const get = (id: string) => call(here.orgAdmin, rules.get, { id })

describe('a rule of a template', () => {
  it('takes what it does not set, with its parameters in the place of values', async () => {
    const template = await create()
    const plain = await ruleOf(template.id)
    expect(plain).toMatchObject({ name: 'Busy', severity: 'high', overrides: [], templateId: template.id, version: 1 })
    expect(plain.conditions).toMatchObject({ threshold: 90 })
    expect(plain.title).toBe('{{ device.name }} is above 90')
    const own = await ruleOf(template.id, { name: 'Mine', severity: 'low', parameters: { threshold: 75 } })
    expect(own).toMatchObject({ name: 'Mine', severity: 'low', overrides: ['name', 'severity'] })
    expect(own.conditions).toMatchObject({ threshold: 75 })
    const { data } = await call(here.orgAdmin, templates.list, { search: 'busy' })
    expect(data.find(({ id }) => id === template.id)).toMatchObject({ ruleCount: 2, builtIn: false })
  })

  it('follows later changes of what it did not override, with a higher version', async () => {
    const template = await create()
    const [plain, own] = [
      await ruleOf(template.id),
      await ruleOf(template.id, { severity: 'low', conditions: cpu(50) }),
    ]
    await call(here.orgAdmin, templates.update, {
      id: template.id,
      severity: 'critical',
      parameters: [{ ...threshold, default: 80 }],
    })
    const followed = await get(plain.id)
    expect(followed).toMatchObject({ severity: 'critical', version: 2, title: '{{ device.name }} is above 80' })
    expect(followed.conditions).toMatchObject({ threshold: 80 })
    const [, record] = await auditOf(plain.id)
    expect(record).toMatchObject({ action: 'alert_rule.update', details: { templateId: template.id, version: 2 } })
    const kept = await get(own.id)
    expect(kept).toMatchObject({ severity: 'low', title: '{{ device.name }} is above 80' })
    expect(kept.conditions).toMatchObject({ threshold: 50 })
  })

  it('keeps its version and its alerts when the template changes nothing of it', async () => {
    const template = await create()
    const rule = await ruleOf(template.id)
    await firedFor(system, rule.id, deviceId)
    await call(here.orgAdmin, templates.update, { id: template.id, category: 'other' })
    expect(await get(rule.id)).toMatchObject({ version: 1, openAlerts: 1 })
  })

  it('ends its alerts when the template asks something else', async () => {
    const template = await create()
    const rule = await ruleOf(template.id)
    const alertId = await firedFor(system, rule.id, deviceId)
    await call(here.orgAdmin, templates.update, { id: template.id, forSeconds: 60 })
    expect(await call(here.orgAdmin, alerts.get, { id: alertId })).toMatchObject({
      status: 'resolved',
      resolution: 'rule_changed',
    })
  })

  it('overrides a field by a change, and follows again when it names the template again', async () => {
    const template = await create()
    const rule = await ruleOf(template.id)
    expect(await call(here.orgAdmin, rules.update, { id: rule.id, severity: 'info' })).toMatchObject({
      overrides: ['severity'],
    })
    const again = await call(here.orgAdmin, rules.update, { id: rule.id, templateId: template.id })
    expect(again).toMatchObject({ severity: 'high', overrides: ['name'] })
    const left = await call(here.orgAdmin, rules.update, { id: rule.id, templateId: null })
    expect(left).toMatchObject({ severity: 'high', templateId: null, parameters: {}, overrides: [] })
    expect(left.conditions).toMatchObject({ threshold: 90 })
  })

  it('takes channels, a policy and dependencies from it, follows their changes, and keeps what it names itself', async () => {
    const channel = await channelOf('First')
    const policy = await call(here.orgAdmin, policies.create, { orgId, name: 'Routing' })
    const cause = await call(here.orgAdmin, rules.create, {
      ...{ orgId, name: 'Cause', severity: 'low', conditions: { kind: 'offline', seconds: 60 } },
    })
    const named = { channelIds: [channel.id], policyId: policy.id, dependsOnRuleIds: [cause.id] }
    const template = await create(named)
    expect(template).toMatchObject(named)
    const [plain, own] = [await ruleOf(template.id), await ruleOf(template.id, { channelIds: [], policyId: null })]
    expect(plain).toMatchObject({ ...named, overrides: [] })
    expect(own).toMatchObject({ ...named, channelIds: [], policyId: null, overrides: ['channelIds', 'policyId'] })
    const second = await channelOf('Second')
    await call(here.orgAdmin, templates.update, { id: template.id, channelIds: [second.id], dependsOnRuleIds: [] })
    expect(await get(plain.id)).toMatchObject({ channelIds: [second.id], dependsOnRuleIds: [], version: 2 })
    expect(await get(own.id)).toMatchObject({ channelIds: [], dependsOnRuleIds: [] })
    await call(here.orgAdmin, channels.remove, { id: channel.id })
    expect(await refusal(call(here.orgAdmin, channels.remove, { id: second.id }))).toMatchObject({ status: 409 })
    expect(await refusal(call(here.orgAdmin, policies.remove, { id: policy.id }))).toMatchObject({ status: 409 })
    for (const id of [plain.id, own.id]) await call(here.orgAdmin, rules.remove, { id })
    expect(await refusal(call(here.orgAdmin, channels.remove, { id: second.id }))).toMatchObject({ status: 409 })
    await call(here.orgAdmin, templates.update, { id: template.id, dependsOnRuleIds: [cause.id] })
    await call(here.orgAdmin, rules.remove, { id: cause.id })
    await call(here.orgAdmin, templates.remove, { id: template.id })
    await call(here.orgAdmin, channels.remove, { id: second.id })
    await call(here.orgAdmin, policies.remove, { id: policy.id })
  })

  it('does not come to depend on itself', async () => {
    const template = await create()
    const rule = await ruleOf(template.id, { name: 'Alone' })
    const change = { id: template.id, dependsOnRuleIds: [rule.id] }
    expect(await refusal(call(here.orgAdmin, templates.update, change))).toMatchObject({
      status: 400,
      message: expect.stringContaining('Alone'),
    })
  })

  it('follows the parameters that it sets', async () => {
    const template = await create()
    const rule = await ruleOf(template.id, { parameters: { threshold: 70 } })
    const changed = await call(here.orgAdmin, rules.update, { id: rule.id, parameters: { threshold: 60 } })
    expect(changed.conditions).toMatchObject({ threshold: 60 })
    expect(changed.version).toBe(2)
    await call(here.orgAdmin, templates.update, {
      id: template.id,
      conditions: { ...cpu({ parameter: 'threshold' }), metric: 'memoryPercent' },
    })
    expect((await get(rule.id)).conditions).toMatchObject({ metric: 'memoryPercent', threshold: 60 })
  })

  it.each<[string, object, RegExp]>([
    ['an unknown parameter', { parameters: { limit: 1 } }, /^parameters\.limit: /],
    ['a number above the greatest', { parameters: { threshold: 101 } }, /at most 100/],
    ['a text for a number', { parameters: { threshold: 'x' } }, /must be a number/],
  ])('rejects %s', async (_name, more, message) => {
    const template = await create()
    expect(await refusal(ruleOf(template.id, more))).toMatchObject({
      status: 400,
      message: expect.stringMatching(message),
    })
  })

  it('needs a name, a severity and conditions without a template, and has no parameters', async () => {
    const basis = { orgId, name: 'CPU', severity: 'high' as const, conditions: cpu(90) as never }
    for (const field of ['name', 'severity', 'conditions'] as const) {
      const told = await refusal(call(here.orgAdmin, rules.create, { ...basis, [field]: undefined }))
      expect(told).toMatchObject({ status: 400, message: expect.stringContaining(field) })
    }
    expect(await refusal(call(here.orgAdmin, rules.create, { ...basis, parameters: { a: 1 } }))).toMatchObject({
      status: 400,
      message: 'parameters: need a template',
    })
  })

  it('names a template of its organization, of the partner or a built-in one', async () => {
    const other = await world()
    const foreign = await call(other.orgAdmin, templates.create, {
      orgId: other.org.id,
      name: 'Foreign',
      severity: 'low',
      conditions: cpu(1),
    })
    expect(await refusal(ruleOf(foreign.id))).toMatchObject({
      status: 400,
      message: `templateId: ${foreign.id} does not exist`,
    })
    const wide = await call(here.partnerAdmin, templates.create, { name: 'Wide', severity: 'low', conditions: cpu(1) })
    expect(await ruleOf(wide.id)).toMatchObject({ name: 'Wide' })
  })
})

describe('a template', () => {
  it('of the partner changes the rules of its organizations', async () => {
    const wide = await call(here.partnerAdmin, templates.create, { name: 'All', severity: 'low', conditions: cpu(5) })
    const rule = await ruleOf(wide.id)
    const refused = call(here.orgAdmin, templates.update, { id: wide.id, severity: 'high' })
    expect(await refusal(refused)).toMatchObject({ status: 403 })
    await call(here.partnerAdmin, templates.update, { id: wide.id, severity: 'medium' })
    expect(await get(rule.id)).toMatchObject({ severity: 'medium', version: 2 })
  })

  it('in use is not deleted', async () => {
    const template = await create()
    const rule = await ruleOf(template.id)
    const told = await refusal(call(here.orgAdmin, templates.remove, { id: template.id }))
    expect(told).toMatchObject({ status: 409, code: 'CONFLICT' })
    await call(here.orgAdmin, rules.remove, { id: rule.id })
    await call(here.orgAdmin, templates.remove, { id: template.id })
    const actions = (await auditOf(template.id)).map(({ action }) => action)
    expect(actions).toEqual(['alert_template.create', 'alert_template.delete'])
  })

  it('names nothing that its rules could not use', async () => {
    const { id } = await channelOf('Own')
    const wide = { name: 'Wide', severity: 'low' as const, conditions: cpu(1), channelIds: [id] }
    expect(await refusal(call(here.partnerAdmin, templates.create, wide))).toMatchObject({
      status: 400,
      message: expect.stringContaining('one organization'),
    })
    const unknown = { channelIds: [randomUUID()] }
    expect(await refusal(create(unknown))).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^channelIds: /),
    })
    expect(await refusal(create({ policyId: randomUUID() }))).toMatchObject({ status: 400 })
    expect(await refusal(create({ dependsOnRuleIds: [randomUUID()] }))).toMatchObject({ status: 400 })
  })

  it('is not changed to what a rule of it does not fit', async () => {
    const template = await create()
    const rule = await ruleOf(template.id, { name: 'Tight', parameters: { threshold: 99 } })
    const change = { id: template.id, parameters: [{ ...threshold, default: 50, max: 60 }] }
    const told = await refusal(call(here.orgAdmin, templates.update, change))
    expect(told).toMatchObject({ status: 400, message: expect.stringContaining('Tight') })
    expect((await get(rule.id)).conditions).toMatchObject({ threshold: 99 })
  })

  it.each<[string, object]>([
    ['conditions that are none', { conditions: { kind: 'metric', metric: 'warmth' } }],
    ['a parameter that does not exist', { conditions: cpu({ parameter: 'limit' }) }],
    ['a default that does not fit', { parameters: [{ ...threshold, default: 0 }] }],
    ['parameters of one name', { parameters: [threshold, threshold] }],
    ['an unknown event', { conditions: { kind: 'event', type: 'device.exploded' } }],
    ['a text that is no template', { title: '{{ device.name' }],
  ])('rejects %s', async (_name, more) => {
    expect(await refusal(create(more))).toMatchObject({ status: 400 })
  })

  it('has a key of its own', async () => {
    const { key } = await create()
    expect(await refusal(create({ key }))).toMatchObject({ status: 409 })
  })

  it('is not changed by members limited to sites', async () => {
    const template = await create()
    const ofOrg = { scope: 'organization', partnerId: here.partner.id, orgId } as const
    const limited = await person(ofOrg, { role: 'Org Admin', siteIds: [here.site.id] })
    expect((await call(limited, templates.list, {})).data.map(({ id }) => id)).toContain(template.id)
    expect(await refusal(call(limited, templates.update, { id: template.id, severity: 'low' }))).toMatchObject({
      status: 403,
    })
  })
})

describe('the built-in templates', () => {
  it('use every kind of condition, and each makes a rule', async () => {
    const { data, pagination } = await call(here.orgAdmin, templates.builtIn, { limit: 100 })
    expect(pagination.total).toBeGreaterThanOrEqual(16)
    const kinds = new Set<string>()
    for (const template of data) {
      expect(template).toMatchObject({ builtIn: true, partnerId: null })
      const rule = await ruleOf(template.id, { enabled: false })
      kinds.add(kindOf(ConditionsInput.parse(rule.conditions)))
      expect(rule).toMatchObject({ name: template.name, templateId: template.id })
    }
    expect([...kinds].sort()).toEqual([...conditionKinds].sort())
  })

  it('are neither changed nor deleted', async () => {
    const [first] = (await call(here.orgAdmin, templates.builtIn, {})).data
    const id = first?.id ?? ''
    expect(await refusal(call(here.partnerAdmin, templates.update, { id, severity: 'low' }))).toMatchObject({
      status: 403,
    })
    expect(await refusal(call(here.partnerAdmin, templates.remove, { id }))).toMatchObject({ status: 403 })
  })

  it('are found by category and text', async () => {
    const { data } = await call(here.orgAdmin, templates.builtIn, { category: 'storage', search: 'mount' })
    expect(data.map(({ key }) => key)).toEqual(['disk-mount'])
  })
})
