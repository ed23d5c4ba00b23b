import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { machine } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { commands } from '../../control/commands/commands.contract.ts'
import { lifecycle } from '../../control/lifecycle/lifecycle.contract.ts'
import { devices } from '../devices/devices.contract.ts'
import { agents } from './agents.contract.ts'
import { provision } from './provision.contract.ts'

describe('provisioning a device', async () => {
  const { system, settings } = await testServices()
  const here = await world()
  const elsewhere = await world()
  const prepare = (hostname: string) =>
    call(here.orgAdmin, provision.create, { orgId: here.org.id, siteId: here.site.id, hostname, tags: ['new'] })
  const enrol = (enrollmentKey: string, given = machine()) => call(null, agents.enroll, { enrollmentKey, ...given })

  it('creates the device before its machine enrolls, and the machine becomes this device', async () => {
    const { device, enrollment } = await prepare('reception')
    expect(device).toMatchObject({
      hostname: 'reception',
      status: 'provisioned',
      siteId: here.site.id,
      enrolledAt: null,
    })
    expect(enrollment).toMatchObject({ serverUrl: settings.publicUrl })
    expect(await auditOf(device.id)).toMatchObject([{ action: 'device.provision', org_id: here.org.id }])
    const answer = await enrol(enrollment.key, machine('desktop-7'))
    expect(answer).toMatchObject({ deviceId: device.id, orgId: here.org.id, siteId: here.site.id })
    expect(await call(here.orgAdmin, devices.get, { id: device.id })).toMatchObject({
      hostname: 'desktop-7',
      status: 'offline',
      tags: ['new'],
    })
  })

  it('returns a key for one machine, which may repeat its request', async () => {
    const { device, enrollment } = await prepare('one')
    const given = machine()
    const told = await Promise.allSettled([enrol(enrollment.key), enrol(enrollment.key), enrol(enrollment.key, given)])
    expect(told.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { device: other, enrollment: key } = await prepare('two')
    expect((await enrol(key.key, given)).deviceId).toBe(other.id)
    expect((await enrol(key.key, given)).deviceId).toBe(other.id)
    expect(other.id).not.toBe(device.id)
  })

  it('creates a device that takes no commands, and after its deletion the key enrolls no machine', async () => {
    const { device, enrollment } = await prepare('given up')
    const told = await refusal(call(here.orgAdmin, commands.create, { id: device.id, type: 'refresh_inventory' }))
    expect(told).toMatchObject({ status: 409, message: 'The device has not enrolled yet' })
    await call(here.orgAdmin, lifecycle.remove, { id: device.id })
    expect(await refusal(enrol(enrollment.key))).toMatchObject({ status: 403 })
  })

  it('counts toward the limits of the tenant', async () => {
    const own = await world()
    await system.query('UPDATE organizations SET max_devices = 1 WHERE id = $1', [own.org.id])
    const place = { orgId: own.org.id, hostname: 'only' }
    const { enrollment } = await call(own.orgAdmin, provision.create, place)
    expect(await refusal(call(own.orgAdmin, provision.create, place))).toMatchObject({ status: 409 })
    await enrol(enrollment.key)
  })

  it('is rejected for another tenant', async () => {
    const told = await refusal(call(elsewhere.orgAdmin, provision.create, { orgId: here.org.id, hostname: 'spy' }))
    expect(told).toMatchObject({ status: 404, message: 'Organization not found' })
  })
})
