import { randomUUID } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { rules } from '../alerts/rules/rules.contract.ts'
import { alertChannels } from '../channels/channels.contract.ts'
import { monitorAlerts } from '../monitors/alerts/alerts.contract.ts'
import { monitors } from '../monitors/monitors.contract.ts'
import { templates } from '../templates/templates.contract.ts'
import { policies } from './policies.contract.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const partnerId = here.partner.id

async function channel(): Promise<string> {
  const config = { to: ['alerts@example.test'] }
  return (
    await call(here.orgAdmin, alertChannels.create, {
      orgId,
      name: `Channel ${randomUUID()}`,
      type: 'email',
      config,
      sendResolved: true,
    })
  ).id
}
const step = (channelId: string, afterMinutes = 0) => ({ afterMinutes, channelIds: [channelId] })
const create = (more: object) => call(here.orgAdmin, policies.create, { orgId, name: 'Policy', ...more })
const severities = (severity: string) => ({ match: { severities: [severity] } })

describe('a policy', () => {
  it('is created, changed and deleted with audit records', async () => {
    const made = await create({ order: 900 })
    expect(made).toMatchObject({
      groupBy: ['organization', 'rule'],
      groupWaitSeconds: 30,
      groupIntervalSeconds: 300,
      repeatIntervalSeconds: 14_400,
      loops: 0,
      continue: false,
    })
    expect(await call(here.orgAdmin, policies.update, { id: made.id, continue: true })).toMatchObject({
      continue: true,
    })
    await call(here.orgAdmin, policies.remove, { id: made.id })
    expect((await auditOf(made.id)).map(({ action }) => action)).toEqual([
      'alert_policy.create',
      'alert_policy.update',
      'alert_policy.delete',
    ])
  })

  it('rejects what its owner does not have, and times that are too short', async () => {
    const unknown = '00000000-0000-4000-8000-000000000009'
    const named = [
      { steps: [step(unknown)] },
      { steps: [{}] },
      { steps: [step(unknown, 15), step(unknown, 5)] },
      { groupBy: ['site', 'site'] },
      { steps: [{ userIds: [unknown] }] },
      { steps: [{ roleIds: [unknown] }] },
      { match: { siteIds: [unknown] } },
      { groupWaitSeconds: 0 },
      { groupIntervalSeconds: 4 },
      { loops: 6 },
      { steps: Array.from({ length: 11 }, () => ({})) },
    ]
    for (const more of named) expect(await refusal(create(more))).toMatchObject({ status: 400 })
  })

  it('is not deleted while a rule names it', async () => {
    const made = await create({ order: 900, ...severities('info') })
    await system.query(
      `WITH t AS (INSERT INTO target_sets (partner_id, org_id, everything) VALUES ($1, $2, true) RETURNING id)
       INSERT INTO alert_rules (partner_id, org_id, name, severity, target_set_id, conditions, kind, enabled, policy_id)
       SELECT $1, $2, 'Names it', 'low', id, '{}', 'metric', false, $3 FROM t`,
      [partnerId, orgId, made.id],
    )
    expect(await refusal(call(here.orgAdmin, policies.remove, { id: made.id }))).toMatchObject({ status: 409 })
  })

  it('is either named or deleted when both are asked for at once', async () => {
    const conditions = { kind: 'metric', metric: 'cpuPercent', operator: 'gt', threshold: 99 } as const
    const rule = await call(here.orgAdmin, rules.create, { orgId, name: 'Names', severity: 'low', conditions })
    const template = await call(here.orgAdmin, templates.create, {
      orgId,
      name: `Names ${randomUUID()}`,
      category: 'Tests',
      severity: 'low',
      conditions,
    })
    const target = 'https://www.example.com/'
    const monitor = await call(here.orgAdmin, monitors.create, { orgId, name: 'Names', type: 'http', target })
    const { data } = await call(here.orgAdmin, monitorAlerts.list, { monitorId: monitor.id })
    const named = {
      rule: (policyId: string | null) => call(here.orgAdmin, rules.update, { id: rule.id, policyId }),
      template: (policyId: string | null) => call(here.orgAdmin, templates.update, { id: template.id, policyId }),
      monitor: (policyId: string | null) =>
        call(here.orgAdmin, monitorAlerts.update, { id: data[0]?.id ?? '', policyId }),
    }
    for (const [what, name] of Object.entries(named))
      for (let round = 0; round < 5; round++) {
        const { id } = await create({ order: 900 })
        const both = await Promise.allSettled([name(id), call(here.orgAdmin, policies.remove, { id })])
        expect(both.filter(({ status }) => status === 'fulfilled').length, `${what} ${round}`).toBe(1)
        await name(null)
      }
  })

  it('is ordered with all others of its owner at once, by one of two who ask', async () => {
    const there = await world()
    const owner = { orgId: there.org.id, match: { severities: ['low' as const] } }
    const make = async (name: string) => (await call(there.orgAdmin, policies.create, { ...owner, name })).id
    const [first, second, third] = [await make('First'), await make('Second'), await make('Third')]
    const order = async () =>
      (await call(there.orgAdmin, policies.list, {})).data.map(({ id, order: position }) => [id, position])
    const reorder = (...ids: string[]) => call(there.orgAdmin, policies.reorder, { ids })
    const { data } = await reorder(third, first)
    expect(data.map(({ id }) => id)).toEqual([third, first, second])
    expect(await order()).toEqual([third, first, second].map((id, position) => [id, position]))
    expect((await auditOf(second)).at(-1)).toMatchObject({ action: 'alert_policy.update' })
    const wanted = [
      [second, first, third],
      [first, third, second],
    ]
    for (let round = 0; round < 5; round++) {
      await Promise.all(wanted.map((ids) => reorder(...ids)))
      expect(wanted).toContainEqual((await order()).map(([id]) => id))
    }
    const ofPartner = await call(there.partnerAdmin, policies.create, { name: 'Of the partner' })
    for (const ids of [
      [first, first],
      [first, ofPartner.id],
      [first, here.org.id],
    ])
      expect(await refusal(call(there.partnerAdmin, policies.reorder, { ids }))).toMatchObject({ status: 400 })
    expect(await refusal(reorder(ofPartner.id))).toMatchObject({ status: 403 })
  })

  it('tells in advance who would hear what', async () => {
    const to = await channel()
    const made = await create({ order: 800, ...severities('medium'), steps: [step(to), step(to, 15)], loops: 1 })
    const { routes } = await call(here.orgAdmin, policies.preview, { orgId, severity: 'medium' })
    expect(routes).toMatchObject([{ policyId: made.id, loops: 1, steps: [{ channelIds: [to] }, { afterMinutes: 15 }] }])
    expect(
      (await call(here.orgAdmin, policies.preview, { orgId, severity: 'info', source: 'sla' })).routes,
    ).not.toContainEqual(expect.objectContaining({ policyId: made.id }))
  })
})
