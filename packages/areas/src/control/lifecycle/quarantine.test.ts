import { generateKeyPairSync, sign } from 'node:crypto'
import { clonesKey, generationsKey, quarantinedGeneration } from '@muster/backplane/keys.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, machine } from '@muster/testkit/machines.ts'
import { operatorRedis, testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { reenrollmentProofBytes } from '@muster/wire/identity.ts'
import { describe, expect, it } from 'vitest'
import { devices } from '../../fleet/devices/devices.contract.ts'
import { agents } from '../../fleet/enrollment/agents.contract.ts'
import { keys } from '../../fleet/enrollment/keys/keys.contract.ts'
import { commands } from '../commands/commands.contract.ts'
import { quarantineClones } from './clones.jobs.ts'
import { lifecycle } from './lifecycle.contract.ts'

const services = await testServices()
const { system } = services
const redis = await operatorRedis()
const parts = { pool: system, redis, log: services.log, publicUrl: 'https://muster.example.com' }
const here = await world()
const elsewhere = await world()
const device = async (hostname: string) => (await enrolled(here.orgAdmin, { orgId: here.org.id }, hostname))[0] ?? ''
const generationOf = (id: string) => redis.hget(generationsKey, id)
const mailsAbout = async (id: string) => {
  const { rows } = await system.query<{ to_address: string; template: string }>(
    `SELECT to_address, template, data FROM mail_outbox WHERE data->>'url' LIKE '%' || $1 ORDER BY to_address`,
    [id],
  )
  return rows
}

describe('a device whose key two machines use', () => {
  it('is quarantined with the reason, and the administrators of its tenant are notified', async () => {
    const id = await device('twofold')
    await redis.hset(clonesKey, id, Date.parse('2026-03-01T10:00:00Z'))
    await quarantineClones(parts)
    expect(await call(here.orgAdmin, devices.get, { id })).toMatchObject({
      status: 'quarantined',
      quarantinedAt: expect.stringContaining('2026-03-01T10:00:00'),
      quarantineReason: 'Two machines use the key of this device',
    })
    expect(await generationOf(id)).toBe(String(quarantinedGeneration))
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'device.quarantine', actor_type: 'system' })
    const told = await mailsAbout(id)
    expect(told.map(({ to_address: to }) => to)).toEqual([here.orgAdmin.email, here.partnerAdmin.email].sort())
    expect(told[0]).toMatchObject({ template: 'device-quarantined', data: { device: 'twofold' } })
    const refused = await refusal(call(here.orgAdmin, commands.create, { id, type: 'refresh_inventory' }))
    expect(refused).toMatchObject({ status: 409, message: 'The device is quarantined' })
    await redis.hset(clonesKey, id, Date.now())
    await quarantineClones(parts)
    expect(await redis.hexists(clonesKey, id)).toBe(0)
    expect(await mailsAbout(id)).toHaveLength(told.length)
  })

  it('stays locked out for a machine that enrolls again, even with proof of the key', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const given = { ...machine('proven'), publicKey: String(publicKey.export({ format: 'jwk' }).x) }
    const { key } = await call(here.orgAdmin, keys.create, { orgId: here.org.id, name: 'Key', maxUsage: null })
    const { deviceId } = await call(null, agents.enroll, { enrollmentKey: key, ...given })
    await call(here.orgAdmin, lifecycle.quarantine, { id: deviceId, reason: 'Stolen' })
    const replaced = { ...given, publicKey: machine().publicKey }
    const signature = sign(null, reenrollmentProofBytes(replaced.publicKey, deviceId), privateKey).toString('base64url')
    const previous = { deviceId, signature }
    expect(await refusal(call(null, agents.enroll, { enrollmentKey: key, ...replaced, previous }))).toMatchObject({
      ...{ status: 403, message: 'The device is quarantined' },
    })
    expect((await call(null, agents.enroll, { enrollmentKey: key, ...given })).deviceId).toBe(deviceId)
    expect(await generationOf(deviceId)).toBe(String(quarantinedGeneration))
  })
})

describe('quarantine by a person', () => {
  it('locks the device out until a user releases it, and both are audited', async () => {
    const id = await device('stolen')
    expect(await call(here.orgAdmin, lifecycle.quarantine, { id, reason: 'Stolen on 3 March' })).toMatchObject({
      status: 'quarantined',
    })
    expect(await generationOf(id)).toBe(String(quarantinedGeneration))
    expect(await refusal(call(here.orgAdmin, lifecycle.quarantine, { id, reason: 'Again' }))).toMatchObject({
      ...{ status: 409, message: 'The device is quarantined' },
    })
    await redis.hset(clonesKey, id, 1)
    expect(await call(here.orgAdmin, lifecycle.release, { id })).toMatchObject({ status: 'offline' })
    expect(await generationOf(id)).toBe('1')
    expect(await redis.hexists(clonesKey, id)).toBe(0)
    expect(await call(here.orgAdmin, devices.get, { id })).toMatchObject({
      ...{ quarantinedAt: null, quarantineReason: null },
    })
    expect((await auditOf(id)).map(({ action }) => action).slice(-2)).toEqual(['device.quarantine', 'device.release'])
    expect(await refusal(call(here.orgAdmin, lifecycle.release, { id }))).toMatchObject({
      ...{ status: 409, message: 'The device is not quarantined' },
    })
  })

  it('is rejected for other tenants and without the permission', async () => {
    const id = await device('ours')
    const viewer = await person(
      { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id },
      { role: 'Org Viewer' },
    )
    for (const [who, status] of [[elsewhere.orgAdmin, 404] as const, [viewer, 403] as const]) {
      expect(await refusal(call(who, lifecycle.quarantine, { id, reason: 'Mine' }))).toMatchObject({ status })
      expect(await refusal(call(who, lifecycle.release, { id }))).toMatchObject({ status })
      expect(await refusal(call(who, lifecycle.dismissDuplicates, { id }))).toMatchObject({ status })
    }
  })
})

describe('one machine that enrolled twice', () => {
  const twice = async (hostname: string) => {
    const { key } = await call(here.orgAdmin, keys.create, { orgId: here.org.id, name: 'Key', maxUsage: null })
    const given = machine(hostname)
    const first = await call(null, agents.enroll, { enrollmentKey: key, ...given })
    const again = { ...machine(`${hostname}-again`), machineId: given.machineId }
    const second = await call(null, agents.enroll, { enrollmentKey: key, ...again })
    return [first.deviceId, second.deviceId] as const
  }
  const twinsOf = async (id: string) =>
    (await call(here.orgAdmin, devices.get, { id })).possibleDuplicates.map(({ deviceId }) => deviceId)
  const listed = async () => {
    const list = await call(here.orgAdmin, devices.list, { possibleDuplicate: true, limit: 100 })
    return 'devices' in list ? list.devices.map(({ id }) => id) : []
  }

  it('is shown on both devices, found by a filter and mailed, until a user dismisses it', async () => {
    const [first, second] = await twice('again')
    expect([await twinsOf(first), await twinsOf(second)]).toEqual([[second], [first]])
    expect(await listed()).toEqual(expect.arrayContaining([first, second]))
    const { possibleDuplicates } = await call(here.orgAdmin, devices.get, { id: first })
    expect(possibleDuplicates[0]?.noticedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const told = await mailsAbout(second)
    expect(told.map(({ template }) => template)).toEqual(['device-duplicate', 'device-duplicate'])
    const dismissed = await call(here.orgAdmin, lifecycle.dismissDuplicates, { id: first, deviceId: second })
    expect(dismissed).toEqual({ dismissed: [second] })
    expect([await twinsOf(first), await twinsOf(second)]).toEqual([[], []])
    expect(await listed()).not.toEqual(expect.arrayContaining([first]))
    expect((await auditOf(first)).at(-1)).toMatchObject({
      ...{ action: 'device.duplicate.dismiss', details: { notSameMachineAs: [second] } },
    })
    expect(await refusal(call(here.orgAdmin, lifecycle.dismissDuplicates, { id: first }))).toMatchObject({
      status: 409,
    })
  })

  it('is resolved when one device is decommissioned; several in an hour cause one mail', async () => {
    const [first, second] = await twice('replaced')
    expect(await mailsAbout(second)).toEqual([])
    await call(here.orgAdmin, lifecycle.remove, { id: first })
    expect(await twinsOf(second)).toEqual([])
  })
})
