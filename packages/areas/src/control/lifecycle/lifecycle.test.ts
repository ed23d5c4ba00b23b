import { decodeGeneration } from '@muster/backplane/generations.ts'
import { generationsChannel, generationsKey } from '@muster/backplane/keys.ts'
import { connectSubscriber } from '@muster/backplane/redis.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { operatorRedis, testServices } from '@muster/testkit/services.ts'
import { testRedis } from '@muster/testkit/stores.ts'
import { person, world } from '@muster/testkit/world.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { devices } from '../../fleet/devices/devices.contract.ts'
import { groups } from '../../fleet/groups/groups.contract.ts'
import { members } from '../../fleet/groups/members.contract.ts'
import { sites } from '../../tenancy/tenancy/sites/sites.contract.ts'
import { commands } from '../commands/commands.contract.ts'
import { lifecycle } from './lifecycle.contract.ts'

const only = <T>([first, ...more]: readonly T[]): T => {
  if (first === undefined || more.length > 0) throw new Error('expected exactly one')
  return first
}

const { system } = await testServices()
const redis = await operatorRedis()

describe('decommissioning', async () => {
  const here = await world()
  const elsewhere = await world()
  const subscriber = connectSubscriber(testRedis(), 'test-generations')
  afterAll(() => subscriber.disconnect())

  it('removes the device from the list, keeps its history and revokes its certificate', async () => {
    const id = only(await enrolled(here.orgAdmin, { orgId: here.org.id }, 'old-1'))
    await subscriber.subscribe(generationsChannel)
    const published = new Promise<unknown>((resolve) => {
      subscriber.on('messageBuffer', (_channel: Buffer, message: Buffer) => {
        const change = decodeGeneration(message)
        if (change?.deviceId === id) resolve(change)
      })
    })
    const { id: commandId } = await call(here.orgAdmin, commands.create, { id, type: 'refresh_inventory' })
    expect(await call(here.orgAdmin, lifecycle.remove, { id })).toEqual({ success: true })
    expect(await published).toEqual({ deviceId: id, generation: -1 })
    expect(await redis.hget(generationsKey, id)).toBe('-1')
    const list = await call(here.orgAdmin, devices.list, {})
    expect('devices' in list && list.devices.map((device) => device.id)).not.toContain(id)
    expect(await call(here.orgAdmin, devices.get, { id })).toMatchObject({ status: 'decommissioned' })
    expect(await call(here.orgAdmin, commands.get, { id, commandId })).toMatchObject({
      status: 'cancelled',
      error: 'The device was decommissioned',
    })
    expect((await auditOf(id)).map((record) => record.action)).toEqual([
      'device.enroll',
      'device.command',
      'device.decommission',
    ])
    expect(await refusal(call(here.orgAdmin, lifecycle.remove, { id }))).toMatchObject({ status: 409 })
    const told = await refusal(call(here.orgAdmin, commands.create, { id, type: 'refresh_inventory' }))
    expect(told).toMatchObject({ status: 409, message: 'The device is decommissioned' })
  })

  it('returns 404 for a device of another tenant', async () => {
    const id = only(await enrolled(here.orgAdmin, { orgId: here.org.id }, 'kept'))
    for (const who of [elsewhere.partnerAdmin, elsewhere.orgAdmin])
      expect(await refusal(call(who, lifecycle.remove, { id }))).toMatchObject({ status: 404 })
    expect(await call(here.orgAdmin, devices.get, { id })).toMatchObject({ status: 'offline' })
  })

  it('is forbidden for technicians', async () => {
    const id = only(await enrolled(here.orgAdmin, { orgId: here.org.id }, 'safe'))
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const technician = await person(tenant, { role: 'Org Technician' })
    expect(await refusal(call(technician, lifecycle.remove, { id }))).toMatchObject({ status: 403 })
  })

  it('removes the device from its groups', async () => {
    const id = only(await enrolled(here.orgAdmin, { orgId: here.org.id }, 'grouped'))
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'Leaving', deviceIds: [id] })
    await call(here.orgAdmin, lifecycle.remove, { id })
    expect((await call(here.orgAdmin, members.list, { id: group.id })).data).toEqual([])
    expect((await system.query('SELECT FROM device_group_members WHERE device_id = $1', [id])).rowCount).toBe(0)
  })
})

describe('moving to another organization', async () => {
  const here = await world()
  const elsewhere = await world()
  const otherSite = await call(here.partnerAdmin, sites.create, { orgId: here.otherOrg.id, name: 'Destination' })
  const otherAdmin = await person(
    { scope: 'organization', partnerId: here.partner.id, orgId: here.otherOrg.id },
    { role: 'Org Admin' },
  )

  it('moves the metrics of the device, but not its commands', async () => {
    const id = only(await enrolled(here.orgAdmin, { orgId: here.org.id, siteId: here.site.id }, 'mover'))
    const { id: commandId } = await call(here.orgAdmin, commands.create, { id, type: 'refresh_inventory' })
    const metric =
      'INSERT INTO device_metrics (at, device_id, org_id, partner_id, boot_id, sequence) VALUES (now(), $1, $2, $3, 1, 1)'
    await system.query(metric, [id, here.org.id, here.partner.id])
    const inventory = `INSERT INTO device_inventory (device_id, org_id, partner_id, hash, collected_at) VALUES ($1, $2, $3, 'h', now())`
    await system.query(inventory, [id, here.org.id, here.partner.id])
    const group = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'Before', deviceIds: [id] })

    const target = { orgId: here.otherOrg.id, siteId: otherSite.id }
    expect(await call(here.partnerAdmin, lifecycle.moveOrg, { id, ...target })).toMatchObject({ id, ...target })
    const ofOld = [
      call(here.orgAdmin, devices.get, { id }),
      call(here.orgAdmin, devices.metrics, { id }),
      call(here.orgAdmin, commands.get, { id, commandId }),
    ]
    for (const told of await Promise.all(ofOld.map(refusal))) expect(told).toMatchObject({ status: 404 })
    expect((await call(otherAdmin, devices.get, { id })).inventory?.hash).toBe('h')
    expect((await call(otherAdmin, devices.metrics, { id })).points).toHaveLength(1)
    expect(await refusal(call(otherAdmin, commands.get, { id, commandId }))).toMatchObject({ status: 404 })
    expect((await call(otherAdmin, commands.list, { id })).data).toEqual([])
    expect(await call(here.partnerAdmin, commands.get, { id, commandId })).toMatchObject({
      orgId: here.org.id,
      status: 'cancelled',
      error: 'The device moved to another organization',
    })
    expect((await call(here.orgAdmin, members.list, { id: group.id })).data).toEqual([])
    const { rows } = await system.query('SELECT org_id FROM device_state WHERE device_id = $1', [id])
    expect(rows).toEqual([{ org_id: here.otherOrg.id }])
    const records = await auditOf(id)
    expect(records.at(-1)).toMatchObject({ action: 'device.move', changed_fields: ['orgId', 'siteId'] })
  })

  it('requires an organization of the same partner, and one of its sites', async () => {
    const id = only(await enrolled(here.orgAdmin, { orgId: here.org.id }, 'staying'))
    const move = (who: typeof here.partnerAdmin, place: { orgId: string; siteId?: string }) =>
      refusal(call(who, lifecycle.moveOrg, { id, ...place }))
    expect(await move(here.partnerAdmin, { orgId: elsewhere.org.id })).toMatchObject({ status: 404 })
    expect(await move(here.systemAdmin, { orgId: elsewhere.org.id })).toMatchObject({
      status: 400,
      message: 'A device can only move within its partner',
    })
    expect(await move(here.partnerAdmin, { orgId: here.otherOrg.id, siteId: here.site.id })).toMatchObject({
      status: 404,
      message: 'Site not found',
    })
    expect(await move(here.partnerAdmin, { orgId: here.org.id })).toMatchObject({ status: 409 })
    expect(await move(elsewhere.partnerAdmin, { orgId: elsewhere.org.id })).toMatchObject({ status: 404 })
    expect(await move(here.orgAdmin, { orgId: here.otherOrg.id })).toMatchObject({ status: 403 })
    expect(await call(here.orgAdmin, devices.get, { id })).toMatchObject({ orgId: here.org.id })
  })

  it('is rejected by a full organization, but not by a full partner', async () => {
    const own = await world()
    const [first = '', second = ''] = await enrolled(own.partnerAdmin, { orgId: own.org.id }, 'a', 'b')
    await system.query('UPDATE organizations SET max_devices = 1 WHERE id = $1', [own.otherOrg.id])
    await system.query('UPDATE partners SET max_devices = 2 WHERE id = $1', [own.partner.id])
    await call(own.partnerAdmin, lifecycle.moveOrg, { id: first, orgId: own.otherOrg.id })
    const told = await refusal(call(own.partnerAdmin, lifecycle.moveOrg, { id: second, orgId: own.otherOrg.id }))
    expect(told).toMatchObject({ status: 409 })
    expect(await call(own.partnerAdmin, devices.get, { id: second })).toMatchObject({ orgId: own.org.id })
  })
})

describe('changing a device', () => {
  it('changes its name and site, removes it from groups of the old site, and is audited', async () => {
    const here = await world()
    const orgId = here.org.id
    const id = only(await enrolled(here.orgAdmin, { orgId, siteId: here.site.id }, 'desk'))
    const group = await call(here.orgAdmin, groups.create, {
      orgId,
      siteId: here.site.id,
      name: 'Here',
      deviceIds: [id],
    })
    const site = await call(here.orgAdmin, sites.create, { orgId, name: 'Branch' })
    const changed = await call(here.orgAdmin, lifecycle.update, { id, displayName: ' Front desk ', siteId: site.id })
    expect(changed).toMatchObject({
      displayName: 'Front desk',
      siteId: site.id,
      siteName: 'Branch',
      orgName: here.org.name,
      hostname: 'desk',
    })
    expect((await call(here.orgAdmin, members.list, { id: group.id })).data).toEqual([])
    expect(await call(here.orgAdmin, lifecycle.update, { id, displayName: null })).toMatchObject({
      displayName: null,
      siteId: site.id,
    })
    const actions = (await auditOf(id)).map(({ action }) => action)
    expect(actions.filter((action) => action === 'device.update')).toHaveLength(2)
    const elsewhere = await world()
    const wrong = call(here.orgAdmin, lifecycle.update, { id, siteId: elsewhere.site.id })
    expect(await refusal(wrong)).toMatchObject({ status: 404, message: 'Site not found' })
    expect(await refusal(call(here.orgAdmin, lifecycle.update, { id }))).toMatchObject({
      status: 400,
      message: 'No updates provided',
    })
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId } as const
    const limited = await person(tenant, { role: 'Org Admin', siteIds: [site.id] })
    expect(await refusal(call(limited, lifecycle.update, { id, siteId: here.site.id }))).toMatchObject({ status: 403 })
  })

  it('returns the most used properties of the device', async () => {
    const here = await world()
    const id = only(await enrolled(here.orgAdmin, { orgId: here.org.id }, 'told'))
    const lists = {
      network: [
        { name: 'lo', mac: '00:00:00:00:00:00', addresses: ['127.0.0.1/8', '::1/128'] },
        { name: 'eth0', mac: '52:54:00:ab:cd:ef', addresses: ['10.0.0.7/24', 'fe80::1/64'] },
      ],
      users: [{ name: 'ann', loggedIn: true }, { name: 'bob' }],
    }
    await system.query(
      `INSERT INTO device_inventory (device_id, org_id, partner_id, hash, collected_at, hardware, disks, network, software, services, users)
       VALUES ($1, $2, $3, 'x', now(), '{}', '[]', $4, '[]', '[]', $5)`,
      [id, here.org.id, here.partner.id, JSON.stringify(lists.network), JSON.stringify(lists.users)],
    )
    await setState(id, { status: 'online', lastSeenAt: '2026-01-02T00:01:00Z', uptimeSeconds: 60 })
    await system.query(`UPDATE devices SET custom_fields = '{"rack": 7}' WHERE id = $1`, [id])
    expect(await call(here.orgAdmin, devices.get, { id })).toMatchObject({
      ipAddresses: ['10.0.0.7/24'],
      macAddresses: ['52:54:00:ab:cd:ef'],
      loggedInUsers: ['ann'],
      bootedAt: '2026-01-02T00:00:00.000Z',
      customFields: { rack: 7 },
    })
  })
})
