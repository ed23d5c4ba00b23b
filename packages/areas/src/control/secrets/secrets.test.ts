import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { SealingKey } from '@muster/wire/sealing.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { storeSealingKeys } from '../../fleet/devices/index.ts'
import { partners } from '../../tenancy/tenancy/partners/partners.contract.ts'
import { sites } from '../../tenancy/tenancy/sites/sites.contract.ts'
import { approvals } from '../commands/approvals/approvals.contract.ts'
import { commands } from '../commands/commands.contract.ts'
import { sealedValues } from './sealed-values.ts'
import { secrets } from './secrets.contract.ts'

const { system, keyring } = await testServices()
const here = await world()
const orgId = here.org.id
const value = 'correct horse battery staple'
const fresh = (name = 'secret') => `${name}-${randomUUID()}`

const secret = (more: object = {}, who = here.partnerAdmin) =>
  call(who, secrets.create, { orgId, name: fresh(), value, ...more })

describe('a secret', () => {
  it('is answered without its value, its length or its sealed form', async () => {
    const made = await secret({ description: 'Of the backup' })
    expect(made).toMatchObject({ orgId, siteId: null, description: 'Of the backup', sharedWithOrganizations: false })
    const changed = await call(here.partnerAdmin, secrets.update, { id: made.id, value: 'another one' })
    const { data } = await call(here.partnerAdmin, secrets.list, { search: made.name })
    expect(data.map(({ id }) => id)).toEqual([made.id])
    for (const answer of [made, changed, data[0] ?? {}])
      expect(Object.keys(answer).filter((key) => /value|sealed|length|size/i.test(key))).toEqual([])
    const { rows } = await system.query('SELECT * FROM secrets WHERE id = $1', [made.id])
    expect(JSON.stringify(rows)).not.toMatch(/horse|another one/)
  })

  it('is audited without its value, which was replaced or not', async () => {
    const { id } = await secret()
    await call(here.partnerAdmin, secrets.update, { id, value: 'another one' })
    await call(here.partnerAdmin, secrets.update, { id, description: 'Of the backup' })
    await call(here.partnerAdmin, secrets.remove, { id })
    const records = await auditOf(id)
    expect(records.map(({ action }) => action)).toEqual([
      ...['secret.create', 'secret.update', 'secret.update', 'secret.delete'],
    ])
    expect(JSON.stringify(records[1])).toContain('replacedValue')
    expect(JSON.stringify(records[2])).not.toContain('replacedValue')
    expect(JSON.stringify(records)).not.toMatch(/horse|another one/)
  })

  it('has a name of its own in its place', async () => {
    const name = fresh()
    const site = await call(here.partnerAdmin, sites.create, { orgId, name: fresh('Site') })
    await secret({ name })
    await secret({ name, orgId: null })
    expect(await secret({ name, orgId: null, siteId: site.id })).toMatchObject({ orgId, siteId: site.id })
    for (const place of [{}, { orgId: null }, { orgId: null, siteId: site.id }])
      expect(await refusal(secret({ name, ...place }))).toMatchObject({ code: 'CONFLICT' })
    const all = { partner: [null, null], organization: [orgId, null], site: [orgId, site.id] }
    for (const level of ['partner', 'organization', 'site'] as const) {
      const { data } = await call(here.partnerAdmin, secrets.list, { search: name, level })
      expect(data.map((found) => [found.orgId, found.siteId])).toEqual([all[level]])
    }
    const other = await secret()
    expect(await refusal(call(here.partnerAdmin, secrets.update, { id: other.id, name }))).toMatchObject({
      code: 'CONFLICT',
    })
  })

  it.each<[string, object, string]>([
    ['an empty value', { value: '' }, 'value'],
    ['a value above 8 KiB', { value: 'ä'.repeat(4_097) }, 'value'],
    ['a value with NUL', { value: 'a\0b' }, 'value'],
    ['a name with a blank', { name: 'a b' }, 'name'],
    ['a site of another organization', { siteId: 'other' }, 'siteId'],
    ['a site that does not exist', { siteId: randomUUID() }, 'siteId'],
    ['an organization that shares it', { sharedWithOrganizations: true }, 'sharedWithOrganizations'],
  ])('is refused with %s', async (_what, given, field) => {
    const elsewhere = await call(here.partnerAdmin, sites.create, { orgId: here.otherOrg.id, name: fresh('Site') })
    const input = 'siteId' in given && given.siteId === 'other' ? { siteId: elsewhere.id } : given
    const { code, message, extra } = await refusal(secret(input))
    expect({ code, names: `${message} ${JSON.stringify(extra)}`.includes(field) }).toEqual({
      code: 'VALIDATION_ERROR',
      names: true,
    })
  })

  it('of the partner is seen and changed by its own people, and seen by organizations when it is shared', async () => {
    const own = await secret({ orgId: null })
    const shared = await secret({ orgId: null, sharedWithOrganizations: true })
    const seen = async () =>
      (await call(here.orgAdmin, secrets.list, { limit: 100 })).data
        .map(({ id }) => id)
        .filter((id) => [own.id, shared.id].includes(id))
    expect(await seen()).toEqual([shared.id])
    expect(await refusal(call(here.orgAdmin, secrets.remove, { id: own.id }))).toMatchObject({ code: 'NOT_FOUND' })
    expect(await refusal(call(here.orgAdmin, secrets.remove, { id: shared.id }))).toMatchObject({ code: 'FORBIDDEN' })
    await call(here.partnerAdmin, secrets.update, { id: shared.id, sharedWithOrganizations: false })
    expect(await seen()).toEqual([])
  })
})

describe('a script with secrets', () => {
  const payload = (name: string) => ({ script: 'true', secrets: { TOKEN: name } })
  const identity = generateKeyPairSync('ed25519')
  const key = new SealingKey()
  let siteId: string
  let deviceId: string
  let elsewhere: string
  const idsOf = async (commandId: string) =>
    (await system.query('SELECT secret_ids FROM device_commands WHERE id = $1', [commandId])).rows[0]?.secret_ids
  const run = (name: string, who = here.partnerAdmin, to = deviceId) =>
    call(who, commands.create, { id: to, type: 'run_script', payload: payload(name) })
  /** What the agent of the device opens. */
  async function openedBy(commandId: string, reader = key) {
    const { rows } = await system.query(
      `SELECT id, device_id AS "deviceId", payload, secret_ids AS "secretIds" FROM device_commands WHERE id = $1`,
      [commandId],
    )
    const sealed = (await sealedValues(system, keyring, rows)).get(commandId)
    return sealed === undefined ? undefined : reader.open(sealed, commandId)
  }

  beforeAll(async () => {
    siteId = (await call(here.partnerAdmin, sites.create, { orgId, name: fresh('Site') })).id
    const [one = ''] = await enrolled(here.partnerAdmin, { orgId, siteId }, 'secret-one')
    const [two = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'secret-two')
    deviceId = one
    elsewhere = two
    const x = String(identity.publicKey.export({ format: 'jwk' }).x)
    await system.query('UPDATE devices SET public_key = $2 WHERE id = $1', [deviceId, x])
    await storeSealingKeys(system, [{ deviceId, sealingKey: key.statement(deviceId, identity.privateKey) }])
  })

  it('gets the nearest of one name: that of the site, the organization, the partner', async () => {
    const name = fresh()
    const ofPartner = await secret({ name, orgId: null, value: 'of the partner' })
    const first = await run(name)
    expect(await idsOf(first.id)).toEqual({ TOKEN: ofPartner.id })
    await secret({ name, value: 'of the organization' })
    expect(await openedBy((await run(name)).id)).toEqual({ TOKEN: 'of the organization' })
    await secret({ name, orgId: null, siteId, value: 'of the site' })
    expect(await openedBy((await run(name)).id)).toEqual({ TOKEN: 'of the site' })
    expect(await openedBy((await run(name, here.partnerAdmin, elsewhere)).id)).toBeUndefined()
    expect(await openedBy(first.id)).toEqual({ TOKEN: 'of the partner' })
  })

  it('gets the value as it is when the command is sent', async () => {
    const { id, name } = await secret()
    const sent = await run(name)
    await call(here.partnerAdmin, secrets.update, { id, value: 'rotated' })
    expect(await openedBy(sent.id)).toEqual({ TOKEN: 'rotated' })
    await call(here.partnerAdmin, secrets.remove, { id })
    expect(await openedBy(sent.id)).toEqual({})
  })

  it('shows names alone in its command', async () => {
    const { name } = await secret()
    const { id } = await run(name)
    const shown = await call(here.partnerAdmin, commands.get, { id: deviceId, commandId: id })
    expect(shown.payload).toMatchObject({ secrets: { TOKEN: name } })
    expect(JSON.stringify(await system.query('SELECT * FROM device_commands WHERE id = $1', [id]))).not.toContain(value)
  })

  it('is refused for one device without the secret, and skips such devices of many', async () => {
    const { name } = await secret()
    expect(await refusal(run(fresh()))).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('payload.secrets'),
    })
    const order = { deviceIds: [deviceId, elsewhere], type: 'run_script', payload: payload(name) } as const
    const { commands: sent, skipped } = await call(here.partnerAdmin, commands.bulk, order)
    expect(sent.map((one) => one.deviceId)).toEqual([deviceId])
    expect(skipped).toEqual([{ deviceId: elsewhere, reason: 'missing_secret' }])
  })

  it('of an organization gets a secret of the partner only if it is shared, also where another one is deleted', async () => {
    const name = fresh()
    const ofPartner = await secret({ name, orgId: null, value: 'of the partner' })
    expect(await refusal(run(name, here.orgAdmin))).toMatchObject({ code: 'VALIDATION_ERROR' })
    const own = await secret({ name }, here.orgAdmin)
    const sent = await run(name, here.orgAdmin)
    await call(here.orgAdmin, secrets.remove, { id: own.id })
    expect(await openedBy(sent.id)).toEqual({})
    await call(here.partnerAdmin, secrets.update, { id: ofPartner.id, sharedWithOrganizations: true })
    expect(await openedBy((await run(name, here.orgAdmin)).id)).toEqual({ TOKEN: 'of the partner' })
  })

  it('is sealed to no key that the device did not sign', async () => {
    const { name } = await secret()
    const sent = await run(name)
    const stolen = new SealingKey().statement(deviceId, generateKeyPairSync('ed25519').privateKey)
    await storeSealingKeys(system, [{ deviceId, sealingKey: stolen }])
    expect(await openedBy(sent.id)).toBeUndefined()
    await storeSealingKeys(system, [{ deviceId, sealingKey: key.statement(deviceId, identity.privateKey) }])
    expect(await openedBy(sent.id)).toEqual({ TOKEN: value })
  })

  it('gets no secret of another name or partner that the database was made to name', async () => {
    const { name } = await secret()
    const other = await secret({ value: 'another secret' })
    const sent = await run(name)
    await system.query('UPDATE device_commands SET secret_ids = $2 WHERE id = $1', [sent.id, { TOKEN: other.id }])
    expect(await openedBy(sent.id)).toEqual({})
  })

  it('is skipped by agents that know no secrets or no named accounts', async () => {
    const { name } = await secret()
    const [older = ''] = await enrolled(here.partnerAdmin, { orgId }, 'secret-older')
    await system.query('UPDATE devices SET capabilities = $2 WHERE id = $1', [older, '+'.repeat(42)])
    expect(await refusal(run(name, here.partnerAdmin, older))).toMatchObject({ code: 'AGENT_TOO_OLD' })
    const asUser = { script: 'true', runAs: 'user' as const, runAsUser: 'ann' }
    const named = call(here.partnerAdmin, commands.create, { id: older, type: 'run_script', payload: asUser })
    expect(await refusal(named)).toMatchObject({ code: 'AGENT_TOO_OLD' })
  })

  it('waits for a second person with its names, and gets the requester’s secrets', async () => {
    const name = fresh()
    await secret({ name, orgId: null, sharedWithOrganizations: true })
    await call(here.partnerAdmin, partners.updateMe, { settings: { secondPerson: true } })
    const order = { deviceIds: [deviceId, elsewhere], type: 'run_script', payload: payload(name) } as const
    const { approval } = await call(here.partnerAdmin, commands.bulk, order)
    const second = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    const asked = await call(second, approvals.get, { id: approval?.id ?? '' })
    expect(asked.payload).toMatchObject({ secrets: { TOKEN: name } })
    const { commands: sent } = await call(second, approvals.approve, { id: asked.id, hash: asked.hash })
    expect(await Promise.all(sent.map(({ id }) => idsOf(id)))).toEqual([
      { TOKEN: expect.any(String) },
      expect.anything(),
    ])
  })
})
