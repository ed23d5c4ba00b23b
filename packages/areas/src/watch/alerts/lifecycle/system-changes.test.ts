import { asSystem } from '@muster/db/database.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { rules } from '../rules/rules.contract.ts'
import { clearAlerts, raiseAlerts } from './raise.ts'
import type { Raise } from './raising.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id

const problems = (prefix: string, count: number): Raise[] =>
  Array.from({ length: count }, (_, n) => ({
    source: 'system',
    key: `${prefix}:${orgId}:${n}`,
    partnerId: here.partner.id,
    orgId,
    severity: 'high',
    title: `Problem ${n}`,
    message: 'Something is wrong',
  }))
const raise = (raises: readonly Raise[]) => asSystem(system, (db) => raiseAlerts(db, raises))
const clear = (raises: readonly Raise[]) =>
  asSystem(system, (db) =>
    clearAlerts(
      db,
      raises.map(({ source, key }) => ({ source, key })),
    ),
  )

it('records what the system does with an alert, and why', async () => {
  const [problem] = problems('audited', 1)
  const given = problem === undefined ? [] : [problem]
  const [id = ''] = (await raise(given)).ids.values()
  await clear(given)
  await raise(given)
  const about = { source: 'system', severity: 'high' }
  expect(await auditOf(id)).toMatchObject([
    {
      action: 'alert.open',
      actor_type: 'system',
      actor_id: null,
      org_id: orgId,
      details: { ...about, status: 'active' },
    },
    { action: 'alert.resolve', actor_type: 'system', details: { ...about, status: 'resolved', resolution: 'auto' } },
    { action: 'alert.reopen', actor_type: 'system', details: about },
  ])
})

it('records the changes of a storm together, each alert by its id', async () => {
  const storm = problems('storm', 400)
  const ids = [...(await raise(storm)).ids.values()]
  await clear(storm)
  const records = (await auditOf(orgId)).filter(({ action }) => action.startsWith('alert.'))
  expect(records.map(({ action, details }) => [action, details.count])).toEqual(
    expect.arrayContaining([
      ['alert.open', 150],
      ['alert.open', 100],
      ['alert.resolve', 150],
    ]),
  )
  for (const action of ['alert.open', 'alert.resolve']) {
    const listed = records.flatMap((record) => (record.action === action ? record.details.alertIds : []))
    expect(listed.toSorted()).toEqual(ids.toSorted())
  }
})

it('records that the change of a rule resolved its alerts, beside the change', async () => {
  const rule = await call(here.orgAdmin, rules.create, {
    ...{ orgId, name: 'Gone', severity: 'low', conditions: { kind: 'offline', seconds: 60 } },
  })
  const raises = problems('ruled', 1).map((each) => ({ ...each, source: 'rule' as const, ruleId: rule.id }))
  const [id = ''] = (await raise(raises)).ids.values()
  await call(here.orgAdmin, rules.update, { id: rule.id, enabled: false })
  expect((await auditOf(id)).at(-1)).toMatchObject({
    action: 'alert.resolve',
    details: { resolution: 'rule_disabled', ruleId: rule.id },
  })
  expect((await auditOf(rule.id)).map(({ action }) => action)).toEqual(['alert_rule.create', 'alert_rule.update'])
})
