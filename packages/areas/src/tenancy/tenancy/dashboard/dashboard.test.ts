import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { devices } from '../../../fleet/devices/devices.contract.ts'
import { organizations } from '../organizations/organizations.contract.ts'
import { dashboard } from './dashboard.contract.ts'

const { system } = await testServices()
const here = await world()
const elsewhere = await world()

async function device(
  orgId: string,
  partnerId: string,
  status: string,
  { version = '1.0.0', lifecycle = 'active' } = {},
) {
  await system.query(
    `WITH made AS (
       INSERT INTO devices (org_id, partner_id, hostname, os_type, agent_version, lifecycle) VALUES ($1, $2, 'h', 'linux', $4, $5) RETURNING id)
     INSERT INTO device_state (device_id, org_id, partner_id, status, last_seen_at) SELECT id, $1, $2, $3, '2026-01-01' FROM made`,
    [orgId, partnerId, status, version, lifecycle],
  )
}

describe('the partner dashboard', async () => {
  const partnerId = here.partner.id
  await device(here.org.id, partnerId, 'online')
  await device(here.org.id, partnerId, 'online', { version: '1.1.0' })
  await device(here.org.id, partnerId, 'offline')
  await device(here.org.id, partnerId, 'offline', { lifecycle: 'decommissioned' })
  await device(here.org.id, partnerId, 'offline', { lifecycle: 'provisioned' })
  await device(here.org.id, partnerId, 'offline', { lifecycle: 'quarantined' })
  await device(here.otherOrg.id, partnerId, 'updating')
  await device(elsewhere.org.id, elsewhere.partner.id, 'online')

  it('counts devices, users and commands by organization and in total', async () => {
    const shown = await call(here.partnerAdmin, dashboard.get, {})
    expect(shown.partner).toMatchObject({ id: partnerId, plan: 'free' })
    expect(shown.totals).toEqual({
      organizations: 2,
      sites: 1,
      users: 3,
      pendingCommands: 0,
      devices: { total: 6, online: 2, offline: 1, updating: 1, provisioned: 1, quarantined: 1 },
    })
    expect(shown.organizations).toMatchObject([
      {
        id: here.org.id,
        sites: 1,
        devices: { total: 5, online: 2, offline: 1, updating: 0, provisioned: 1, quarantined: 1 },
      },
      { id: here.otherOrg.id, sites: 0, devices: { total: 1, online: 0, offline: 0, updating: 1 } },
    ])
    expect(shown.organizations[0]?.lastSeenAt).toBe('2026-01-01T00:00:00.000Z')
    expect(shown.agentVersions).toEqual([
      { name: '1.0.0', count: 5 },
      { name: '1.1.0', count: 1 },
    ])
    expect(shown.operatingSystems).toEqual([{ name: 'linux', count: 6 }])
  })

  it('counts the same devices as the list of devices, and the states add up', async () => {
    const { totals } = await call(here.partnerAdmin, dashboard.get, {})
    const listed = await call(here.partnerAdmin, devices.list, { includeTotal: true, limit: 1 })
    expect(listed).toMatchObject({ total: totals.devices.total })
    const { total, ...states } = totals.devices
    expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(total)
  })

  it('shows each caller the organizations within reach, in the saved order', async () => {
    const tenant = { scope: 'partner', partnerId } as const
    const orgIds = [here.otherOrg.id]
    const selected = await person(tenant, { role: 'Partner Viewer', orgAccess: 'selected', orgIds })
    const seen = await call(selected, dashboard.get, {})
    expect(seen.organizations.map(({ id }) => id)).toEqual([here.otherOrg.id])
    expect(seen.totals.devices.total).toBe(1)
    expect(seen.operatingSystems).toEqual([{ name: 'linux', count: 1 }])
    const idle = await person(tenant, { role: 'Partner Viewer', orgAccess: 'none' })
    expect(await call(idle, dashboard.get, {})).toMatchObject({ organizations: [], totals: { devices: { total: 0 } } })

    await call(here.partnerAdmin, organizations.order, { organizationOrder: [here.otherOrg.id] })
    const ordered = await call(here.partnerAdmin, dashboard.get, {})
    expect(ordered.organizations.map(({ id }) => id)).toEqual([here.otherOrg.id, here.org.id])
  })

  it('requires partner scope', async () => {
    expect(await refusal(call(here.orgAdmin, dashboard.get, {}))).toMatchObject({ status: 403 })
    expect(await refusal(call(here.systemAdmin, dashboard.get, {}))).toMatchObject({ status: 403 })
  })
})
