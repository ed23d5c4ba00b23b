import { asSystem } from '@muster/db/database.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { alerts } from '../alerts.contract.ts'
import type { Conditions } from '../rules/conditions.contract.ts'
import { rules } from '../rules/rules.contract.ts'
import { firedFor } from '../testing/fired.ts'
import { clearAlerts, raiseAlerts } from './raise.ts'
import { followTimes } from './timeouts.jobs.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const siteId = here.site.id
const [deviceId = '', other = ''] = await enrolled(here.partnerAdmin, { orgId, siteId }, 'caused', 'beside')

const create = (conditions: Conditions, more: object = {}) =>
  call(here.orgAdmin, rules.create, { orgId, name: 'Rule', severity: 'high', conditions, ...more })
const cpu = {
  kind: 'metric' as const,
  metric: 'cpuPercent' as const,
  operator: 'gt' as const,
  threshold: 90,
  aggregate: 'last' as const,
}
const find = (id: string) => call(here.orgAdmin, alerts.get, { id })
const passReleases = () =>
  system.query(`UPDATE alerts SET released_at = released_at - interval '61 seconds' WHERE org_id = $1`, [orgId])

describe('a cause that opens after the alerts that it explains', () => {
  it('suppresses those of the same device, and they are active again a minute after it ended', async () => {
    const cause = await create(cpu)
    const effect = await create(cpu, { dependsOnRuleIds: [cause.id] })
    const [suppressed, untouched] = [
      await firedFor(system, effect.id, deviceId),
      await firedFor(system, effect.id, other),
    ]
    await followTimes(system)
    expect((await find(suppressed)).status).toBe('active')
    const causeId = await firedFor(system, cause.id, deviceId)
    await followTimes(system)
    expect(await find(suppressed)).toMatchObject({
      status: 'suppressed',
      suppression: { kind: 'dependency', id: causeId },
    })
    expect((await find(untouched)).status).toBe('active')
    await asSystem(system, (db) => clearAlerts(db, [{ source: 'rule', key: `${cause.id}:${deviceId}` }]))
    await followTimes(system)
    await passReleases()
    await followTimes(system)
    expect(await find(suppressed)).toMatchObject({ status: 'active', suppression: null })
  })

  it('leaves alone what a person acknowledged', async () => {
    const cause = await create(cpu)
    const effect = await create(cpu, { dependsOnRuleIds: [cause.id] })
    const id = await firedFor(system, effect.id, deviceId)
    await call(here.orgAdmin, alerts.acknowledge, { id })
    await firedFor(system, cause.id, deviceId)
    await followTimes(system)
    expect((await find(id)).status).toBe('acknowledged')
  })

  it('suppresses the offline alerts of its devices if it is a site that is offline', async () => {
    const offline = await create({ kind: 'offline', seconds: 300 })
    const busy = await create(cpu)
    const conditions = { kind: 'siteOffline' as const, percent: 50, minDevices: 1, seconds: 300 }
    const site = await create(conditions)
    const [silent, loud] = [await firedFor(system, offline.id, deviceId), await firedFor(system, busy.id, deviceId)]
    const raise = {
      source: 'rule' as const,
      key: `${site.id}:${siteId}`,
      partnerId: here.partner.id,
      orgId,
      siteId,
      ruleId: site.id,
      severity: 'critical' as const,
      title: 'The site is offline',
      message: '',
      context: { conditions },
    }
    await asSystem(system, (db) => raiseAlerts(db, [raise]))
    await followTimes(system)
    expect(await find(silent)).toMatchObject({
      status: 'suppressed',
      suppression: { reason: 'Depends on: The site is offline' },
    })
    expect((await find(loud)).status).toBe('active')
  })
})
