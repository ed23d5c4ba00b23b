import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { generationsKey } from '@muster/backplane/keys.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { machine } from '@muster/testkit/machines.ts'
import { operatorRedis, testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { CertificateClaims, reenrollmentProofBytes } from '@muster/wire/identity.ts'
import { jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { lifecycle } from '../../control/lifecycle/lifecycle.contract.ts'
import { devices } from '../devices/devices.contract.ts'
import { agents } from './agents.contract.ts'
import { keys } from './keys/keys.contract.ts'

type Machine = ReturnType<typeof machine>
type Outcome = Awaited<ReturnType<typeof settled>>

/** Runs work many times with as much concurrency as a loaded machine can serve within the time-outs. */
const settled = async (count: number, once: () => Promise<unknown>, atOnce = 40) => {
  const outcomes: PromiseSettledResult<unknown>[] = []
  let left = count
  const takeTurns = async () => {
    while (left-- > 0) outcomes.push(...(await Promise.allSettled([once()])))
  }
  await Promise.all(Array.from({ length: atOnce }, takeTurns))
  return { in: outcomes.filter(({ status }) => status === 'fulfilled').length, outcomes }
}

describe('enrollment', async () => {
  const { system, keyring, grantKeyring, settings } = await testServices()
  const keyOf = async (who: Awaited<ReturnType<typeof world>>, more: { siteId?: string; maxUsage?: number } = {}) =>
    (await call(who.partnerAdmin, keys.create, { orgId: who.org.id, name: 'Key', maxUsage: null, ...more })).key
  const enrol = (enrollmentKey: string, given: Machine = machine()) =>
    call(null, agents.enroll, { enrollmentKey, ...given })
  const devicesOf = async (orgId: string) =>
    (await system.query('SELECT id FROM devices WHERE org_id = $1', [orgId])).rowCount
  const here = await world()

  it('turns a machine into a device of the key’s organization and site, with a certificate for its own key', async () => {
    const given = machine('alpha')
    const answer = await enrol(await keyOf(here, { siteId: here.site.id }), given)
    expect(answer).toMatchObject({ orgId: here.org.id, siteId: here.site.id, ingestUrl: settings.ingestUrl })
    const device = await call(here.orgAdmin, devices.get, { id: answer.deviceId })
    expect(device).toMatchObject({
      hostname: 'alpha',
      status: 'offline',
      osType: 'linux',
      osName: 'Debian',
      agentVersion: '1.0.0',
    })
    expect(device.enrolledAt).not.toBeNull()

    const [jwk] = keyring.deviceCertificates
    const verifying = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: jwk?.x ?? '' } })
    const { payload, protectedHeader } = await jwtVerify(answer.certificate, verifying, { audience: 'muster-ingest' })
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', kid: jwk?.kid })
    expect(CertificateClaims.parse(payload)).toMatchObject({
      sub: answer.deviceId,
      org: here.org.id,
      partner: here.partner.id,
      gen: 1,
      role: 'agent',
      cnf: { jwk: { x: given.publicKey } },
    })
    const [record] = await auditOf(answer.deviceId)
    expect(record).toMatchObject({ action: 'device.enroll', actor_id: answer.deviceId, org_id: here.org.id })
  })

  it('returns the keys that verify orders, and a device certificate can read them again', async () => {
    const { orderKeys, grantKeys, certificate } = await enrol(await keyOf(here))
    expect(orderKeys).toEqual({ serial: 1, keys: keyring.orders?.map(({ x }) => x) })
    const told = await call(null, agents.orderKeys, { certificate })
    expect(told).toMatchObject({ ...orderKeys, statements: keyring.orderStatements })
    expect(grantKeys).toEqual({ serial: 1, keys: grantKeyring.grants.map(({ x }) => x) })
    expect(told.grantKeys).toEqual({ ...grantKeys, statements: grantKeyring.grantStatements })
    expect(Math.abs(told.serverTime - Date.now())).toBeLessThan(60_000)
    for (const wrong of ['a.b.c', `${certificate.slice(0, -10)}AAAAAAAAAA`])
      expect(await refusal(call(null, agents.orderKeys, { certificate: wrong }))).toMatchObject({ status: 401 })
  })

  it('accepts the key in the header', async () => {
    const headers = { 'x-enrollment-key': await keyOf(here) }
    expect(await call(null, agents.enroll, machine(), { headers })).toMatchObject({ orgId: here.org.id })
    const told = await refusal(call(null, agents.enroll, machine()))
    expect(told).toMatchObject({ status: 401, message: 'An enrollment key is required' })
  })

  it('returns the same device for a repeated request without counting a second use of the key', async () => {
    const key = await keyOf(here, { maxUsage: 1 })
    const given = machine()
    const first = await enrol(key, given)
    const again = await enrol(key, given)
    expect(again.deviceId).toBe(first.deviceId)
    expect((await refusal(enrol(key))).message).toBe('This enrollment key has been used up')
  })

  it('creates one device for twenty simultaneous requests of one machine', async () => {
    const own = await world()
    const key = await keyOf(own)
    const given = machine()
    const answers = await Promise.all(Array.from({ length: 20 }, () => enrol(key, given)))
    expect(new Set(answers.map((answer) => answer.deviceId)).size).toBe(1)
    expect(await devicesOf(own.org.id)).toBe(1)
  })

  it('creates new devices for a machine with another key, and for another machine with the same key', async () => {
    const key = await keyOf(here)
    const given = machine()
    const first = await enrol(key, given)
    const reinstalled = await enrol(key, { ...machine(given.hostname), machineId: given.machineId })
    const cloned = await enrol(key, { ...machine(given.hostname), publicKey: given.publicKey })
    expect(new Set([first.deviceId, reinstalled.deviceId, cloned.deviceId]).size).toBe(3)
  })

  it('keeps the device of a machine with a new key only with proof of the previous key', async () => {
    const key = await keyOf(here, { maxUsage: 1 })
    const [before, after] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
    const rawOf = (pair: typeof before) => String(pair.publicKey.export({ format: 'jwk' }).x)
    const given = { ...machine(), publicKey: rawOf(before) }
    const { deviceId } = await enrol(key, given)
    const replaced = { ...given, publicKey: rawOf(after), agentVersion: '1.1.0' }
    const proof = reenrollmentProofBytes(replaced.publicKey, deviceId)
    const signedBy = (pair: typeof before) => ({
      deviceId,
      signature: sign(null, proof, pair.privateKey).toString('base64url'),
    })
    const again = (previous: { deviceId: string; signature: string }) =>
      call(null, agents.enroll, { enrollmentKey: key, ...replaced, previous })
    expect(await refusal(again(signedBy(after)))).toMatchObject({ status: 403 })
    const elsewhere = { ...signedBy(before), deviceId: (await enrol(await keyOf(here))).deviceId }
    expect(await refusal(again(elsewhere))).toMatchObject({ status: 403 })
    const answer = await again(signedBy(before))
    expect(answer.deviceId).toBe(deviceId)
    const claims = JSON.parse(Buffer.from(answer.certificate.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ gen: 2, cnf: { jwk: { x: replaced.publicKey } } })
    expect(await (await operatorRedis()).hget(generationsKey, deviceId)).toBe('2')
  })

  it('creates a new device for a known machine without proof, and notifies administrators of the possible duplicate', async () => {
    const key = await keyOf(here)
    const given = machine()
    const first = await enrol(key, given)
    const second = await enrol(key, { ...machine(), machineId: given.machineId })
    const records = await auditOf(second.deviceId)
    expect(records.map(({ action }) => action).sort()).toEqual(['device.enroll', 'device.possible_duplicate'])
    const told = records.find(({ action }) => action === 'device.possible_duplicate')
    expect(told).toMatchObject({ details: { sameMachineAs: [first.deviceId] } })
  })

  it('creates a new device for a decommissioned machine', async () => {
    const key = await keyOf(here)
    const given = machine()
    const first = await enrol(key, given)
    await call(here.orgAdmin, lifecycle.remove, { id: first.deviceId })
    expect((await enrol(key, given)).deviceId).not.toBe(first.deviceId)
  })

  it('enrolls exactly as many of 200 simultaneous machines as the key has uses', { timeout: 60_000 }, async () => {
    const own = await world()
    const { id, key } = await call(own.orgAdmin, keys.create, { orgId: own.org.id, name: 'Hundred', maxUsage: 100 })
    const outcome = await settled(200, () => enrol(key))
    expect(outcome.in).toBe(100)
    expect(reasons(outcome)).toEqual(['This enrollment key has been used up'])
    expect(await call(own.orgAdmin, keys.get, { id })).toMatchObject({ usageCount: 100, maxUsage: 100 })
    expect(await devicesOf(own.org.id)).toBe(100)
  })

  it('respects the limits of organization and partner under simultaneous requests', async () => {
    const own = await world()
    await system.query('UPDATE organizations SET max_devices = 5 WHERE id = $1', [own.org.id])
    const key = await keyOf(own)
    const first = await settled(20, () => enrol(key))
    expect([first.in, await devicesOf(own.org.id)]).toEqual([5, 5])
    await system.query('UPDATE partners SET max_devices = 8 WHERE id = $1', [own.partner.id])
    const other = await call(own.partnerAdmin, keys.create, { orgId: own.otherOrg.id, name: 'Other', maxUsage: null })
    const second = await settled(20, () => enrol(other.key))
    expect([second.in, await devicesOf(own.otherOrg.id)]).toEqual([3, 3])
    expect(reasons(second)).toEqual([
      'This partner has 8 of at most 8 devices. Raise maxDevices or decommission a device',
    ])
    expect(await call(own.partnerAdmin, keys.get, { id: other.id })).toMatchObject({ usageCount: 3 })
  })

  it('a decommissioned device makes room under a cap, and the plan unlimited has none', async () => {
    const own = await world()
    await system.query('UPDATE organizations SET max_devices = 1 WHERE id = $1', [own.org.id])
    const key = await keyOf(own)
    const { deviceId } = await enrol(key)
    expect(await refusal(enrol(key))).toMatchObject({ status: 409 })
    await call(own.orgAdmin, lifecycle.remove, { id: deviceId })
    await enrol(key)
    await system.query(`UPDATE partners SET plan = 'unlimited' WHERE id = $1`, [own.partner.id])
    await enrol(key)
  })

  it.each([
    [
      'an expired key',
      `UPDATE enrollment_keys SET expires_at = now() - interval '1 second'`,
      'This enrollment key has expired',
    ],
    ['a suspended organization', `UPDATE organizations SET status = 'suspended'`, 'Organization is suspended'],
    ['a churned organization', `UPDATE organizations SET status = 'churned'`, 'Organization is churned'],
    ['a partner that is not active', `UPDATE partners SET status = 'suspended'`, 'Partner account is not active'],
  ])('%s rejects enrollment', async (_what, change, message) => {
    const own = await world()
    const key = await keyOf(own)
    await system.query(`${change} WHERE ${change.includes('partners') ? 'id' : 'partner_id'} = $1`, [own.partner.id])
    expect(await refusal(enrol(key))).toMatchObject({ status: 403, message })
    expect(await devicesOf(own.org.id)).toBe(0)
  })

  it('a key of a deleted organization or partner is no key', async () => {
    for (const table of ['organizations', 'partners']) {
      const own = await world()
      const key = await keyOf(own)
      const id = table === 'partners' ? own.partner.id : own.org.id
      await system.query(`UPDATE ${table} SET deleted_at = now() WHERE id = $1`, [id])
      expect(await refusal(enrol(key))).toMatchObject({ status: 401, message: 'Invalid enrollment key' })
    }
  })

  it.each([
    ['publicKey', { publicKey: 'A'.repeat(42) }],
    ['publicKey', { publicKey: 'A'.repeat(43) }],
    ['publicKey', { publicKey: `${'A'.repeat(42)}B` }],
    ['hostname', { hostname: '' }],
    ['hostname', { hostname: 'a\u0000b' }],
    ['osType', { osType: 'beos' as 'linux' }],
  ])('a wrong %s is named', async (field, wrong) => {
    const told = await refusal(enrol(await keyOf(here), { ...machine(), ...wrong }))
    expect(told.status).toBe(400)
    expect(told.message.startsWith(`${field}: `)).toBe(true)
  })
})

function reasons({ outcomes }: Outcome): string[] {
  const words = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason.message)] : []))
  return [...new Set(words)]
}
