import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { ownAddress } from '@muster/testkit/credentials.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { callersOf } from '../../caller-cache.ts'
import { operations } from '../../registry.ts'
import { sites } from '../../tenancy/tenancy/sites/sites.contract.ts'
import { session } from '../auth/sign-in/session.contract.ts'
import { keys } from './keys.contract.ts'

const here = await world()
const elsewhere = await world()
const services = await testServices()
const { system } = services
const callers = callersOf(services)
const admin = here.partnerAdmin
const dayMs = 86_400_000

const make = (who: Person, more: Record<string, unknown> = {}) =>
  call(who, keys.create, { name: 'Script', scopes: ['sites:read' as const], ...more })
/** Calls an operation with a key, as a program does. */
const using = (key: string, ip = '127.0.0.1') => ({ headers: { 'x-api-key': key }, ip })
const listSites = (key: string, ip?: string) => call(null, sites.list, {}, using(key, ip))
const invalid = { status: 401, code: 'UNAUTHENTICATED', message: 'Invalid API key' }

async function colleague(role: string) {
  return person({ scope: 'partner', partnerId: here.partner.id }, { role })
}

describe('creating a key', () => {
  it('returns the key once and stores only its hash', async () => {
    const made = await make(admin)
    expect(made.key).toMatch(/^msk_[\w-]{43}$/)
    expect(made.key.startsWith(made.prefix)).toBe(true)
    expect(await call(admin, keys.get, { id: made.id })).not.toHaveProperty('key')
    const { rows } = await system.query('SELECT * FROM api_keys WHERE id = $1', [made.id])
    expect(JSON.stringify(rows)).not.toContain(made.key)
    const [record] = await auditOf(made.id)
    expect(record).toMatchObject({ action: 'api_key.create', actor_id: admin.userId })
    expect(JSON.stringify(record)).not.toContain(made.key)
  })

  it('sets the expiration to 90 days by default, and to at most 366', async () => {
    const made = await make(admin)
    expect(Date.parse(made.expiresAt) - Date.now()).toBeGreaterThan(89 * dayMs)
    const in400 = new Date(Date.now() + 400 * dayMs).toISOString()
    for (const expiresAt of [in400, new Date(Date.now() - 1_000).toISOString()]) {
      expect(await refusal(make(admin, { expiresAt }))).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    }
  })

  it('cannot give permissions that the creator does not hold', async () => {
    const { rows } = await system.query(
      `INSERT INTO roles (partner_id, scope, name) VALUES ($1, 'partner', 'Key maker') RETURNING id`,
      [here.partner.id],
    )
    await system.query(
      `INSERT INTO role_permissions (role_id, permission_id) SELECT $1, id FROM permissions
       WHERE (resource, action) IN (('settings', 'write'), ('sites', 'read'))`,
      [rows[0].id],
    )
    const maker = await colleague('Partner Viewer')
    await system.query('UPDATE partner_users SET role_id = $2 WHERE user_id = $1', [maker.userId, rows[0].id])
    await make(maker, { scopes: ['sites:read'] })
    for (const scope of ['users:write', '*:*', 'sites:delete']) {
      const response = await refusal(make(maker, { scopes: ['sites:read', scope] }))
      expect(response).toMatchObject({ status: 403, message: expect.stringContaining(scope) })
    }
  })

  it('accepts only existing permissions and valid addresses', async () => {
    expect(await refusal(make(admin, { scopes: ['devices:fly'] }))).toMatchObject({ status: 400 })
    expect(await refusal(make(admin, { scopes: [] }))).toMatchObject({ status: 400 })
    for (const address of ['10.0.0.0/33', 'example.test', '10.0.0.1/8/8', '::1/129']) {
      expect(await refusal(make(admin, { allowedAddresses: [address] }))).toMatchObject({ status: 400 })
    }
  })

  it('requires settings:write and a user: viewers and API keys are rejected', async () => {
    expect(await refusal(make(here.partnerViewer))).toMatchObject({ status: 403 })
    const { key } = await make(admin, { scopes: ['*:*'] })
    expect(await refusal(call(null, keys.create, { name: 'Child', scopes: ['sites:read'] }, using(key)))).toMatchObject(
      { status: 403, message: 'API keys cannot be used for this operation' },
    )
  })
})

describe('using a key', () => {
  it('acts as its creator, with its scopes only', async () => {
    const { key, id } = await make(admin)
    expect((await listSites(key)).data.map((site) => site.id)).toContain(here.site.id)
    const response = await refusal(call(null, sites.create, { orgId: here.org.id, name: 'No' }, using(key)))
    expect(response).toMatchObject({ status: 403, message: 'Permission denied: sites:write is required' })
    const writing = await make(admin, { scopes: ['sites:read', 'sites:write'] })
    const site = await call(null, sites.create, { orgId: here.org.id, name: 'By key' }, using(writing.key))
    expect(await auditOf(site.id)).toMatchObject([
      { action: 'site.create', actor_id: writing.id, actor_email: admin.email },
    ])
    expect(id).not.toBe(writing.id)
  })

  it('shows no data of other partners', async () => {
    const { key } = await make(admin)
    expect((await listSites(key)).data.map((site) => site.id)).not.toContain(elsewhere.site.id)
    expect(await refusal(call(null, sites.get, { id: elsewhere.site.id }, using(key)))).toMatchObject({ status: 403 })
  })

  it('reaches only its organization when it is limited to one', async () => {
    const { key } = await make(admin, { orgId: here.otherOrg.id })
    expect((await listSites(key)).data).toEqual([])
    expect(await refusal(call(null, sites.get, { id: here.site.id }, using(key)))).toMatchObject({ status: 403 })
    expect(await refusal(make(admin, { orgId: elsewhere.org.id }))).toMatchObject({ status: 404 })
  })

  it('is rejected when the key is wrong, expired or revoked, or comes with another credential', async () => {
    for (const key of ['', 'msk_', 'made-up', `msk_${'A'.repeat(43)}`]) {
      expect(await refusal(listSites(key))).toMatchObject(invalid)
    }
    const expired = await make(admin)
    await system.query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [expired.id])
    expect(await refusal(listSites(expired.key))).toMatchObject(invalid)
    const { key, id } = await make(admin)
    await listSites(key)
    expect(await refusal(call(admin, sites.list, {}, using(key)))).toMatchObject({ status: 401 })
    expect(await call(admin, keys.revoke, { id })).toEqual({ success: true })
    expect(await refusal(listSites(key))).toMatchObject(invalid)
    expect(await refusal(call(admin, keys.revoke, { id }))).toMatchObject({ status: 404 })
    expect(await call(admin, keys.get, { id })).toMatchObject({ status: 'revoked' })
    expect((await auditOf(id)).map(({ action }) => action)).toEqual(['api_key.create', 'api_key.revoke'])
  })

  it('works only from its addresses', async () => {
    const { key } = await make(admin, { allowedAddresses: ['192.0.2.0/24', '2001:db8::/32'] })
    await listSites(key, '192.0.2.77')
    await listSites(key, '2001:db8::5')
    expect(await refusal(listSites(key, '198.51.100.1'))).toMatchObject({ status: 403 })
  })

  it('is limited to its requests per minute', async () => {
    const { key } = await make(admin, { requestsPerMinute: 3 })
    for (let n = 0; n < 3; n++) await listSites(key)
    expect(await refusal(listSites(key))).toMatchObject({ status: 429, extra: { retryAfter: expect.any(Number) } })
  })

  it('records when and from where it was last used', async () => {
    const { key, id } = await make(admin)
    const ip = ownAddress()
    await listSites(key, ip)
    await expect.poll(async () => (await call(admin, keys.get, { id })).lastUsedIp).toBe(ip)
  })
})

describe('the permissions of a key', () => {
  it('shrink with those of its creator, and end with the account, the membership or the partner', async () => {
    const who = await colleague('Partner Admin')
    const { key } = await make(who, { scopes: ['sites:read', 'sites:write'] })
    const write = () => call(null, sites.create, { orgId: here.org.id, name: 'By key' }, using(key))
    await write()
    const become = (role: string) =>
      system.query(
        `UPDATE partner_users SET role_id = (SELECT id FROM roles WHERE is_system AND name = $2) WHERE user_id = $1`,
        [who.userId, role],
      )
    await become('Partner Viewer')
    await callers.clear()
    await listSites(key)
    expect(await refusal(write())).toMatchObject({ status: 403 })
    await system.query(`UPDATE users SET status = 'disabled' WHERE id = $1`, [who.userId])
    await callers.clear()
    expect(await refusal(listSites(key))).toMatchObject(invalid)
    await system.query(`UPDATE users SET status = 'active' WHERE id = $1`, [who.userId])
    await listSites(key)
    await system.query('DELETE FROM partner_users WHERE user_id = $1', [who.userId])
    await callers.clear()
    expect(await refusal(listSites(key))).toMatchObject(invalid)
  })

  it('depend on the status of the partner and on a missing second factor', async () => {
    const own = await world()
    const { key } = await make(own.partnerAdmin)
    await system.query(`UPDATE users SET mfa_enabled = false WHERE id = $1`, [own.partnerAdmin.userId])
    await callers.clear()
    expect(await refusal(listSites(key))).toMatchObject({ status: 428 })
    await system.query(`UPDATE partners SET status = 'suspended' WHERE id = $1`, [own.partner.id])
    await callers.clear()
    expect(await refusal(listSites(key))).toMatchObject({ status: 403, message: 'Partner account is not active' })
  })

  it('are the current permissions of its creator when the key has all scopes', async () => {
    const who = await colleague('Partner Admin')
    const { key } = await make(who, { scopes: ['*:*'] })
    await system.query(
      `UPDATE partner_users SET role_id = (SELECT id FROM roles WHERE is_system AND name = 'Partner Viewer') WHERE user_id = $1`,
      [who.userId],
    )
    await callers.clear()
    await listSites(key)
    expect(await refusal(call(null, sites.create, { orgId: here.org.id, name: 'No' }, using(key)))).toMatchObject({
      status: 403,
    })
  })
})

describe('changing a key', () => {
  it('rotates: both secrets are valid during the overlap, then only the new one', async () => {
    const made = await make(admin)
    const rotated = await call(admin, keys.rotate, { id: made.id })
    expect(rotated.key).not.toBe(made.key)
    await listSites(made.key)
    await listSites(rotated.key)
    await system.query(`UPDATE api_keys SET previous_expires_at = now() - interval '1 second' WHERE id = $1`, [made.id])
    await callers.clear()
    expect(await refusal(listSites(made.key))).toMatchObject(invalid)
    const last = await call(admin, keys.rotate, { id: made.id, overlapSeconds: 0 })
    expect(await refusal(listSites(rotated.key))).toMatchObject(invalid)
    await listSites(last.key)
    expect((await auditOf(made.id)).map(({ action }) => action)).toEqual([
      'api_key.create',
      'api_key.rotate',
      'api_key.rotate',
    ])
  })

  it('is limited to its creator; others with reach can see and revoke it', async () => {
    const other = await colleague('Partner Admin')
    const { id } = await make(admin)
    expect(await call(other, keys.get, { id })).toMatchObject({ id })
    expect(await refusal(call(other, keys.rotate, { id }))).toMatchObject({ status: 403 })
    expect(await refusal(call(other, keys.update, { id, scopes: ['*:*'] }))).toMatchObject({ status: 403 })
    expect(await call(other, keys.revoke, { id })).toEqual({ success: true })
  })

  it('narrows and renames the key, and rejects an empty change', async () => {
    const { id, key } = await make(admin, { scopes: ['sites:read', 'sites:write'] })
    expect(await call(admin, keys.update, { id, name: 'Reader', scopes: ['sites:read'] })).toMatchObject({
      name: 'Reader',
      scopes: ['sites:read'],
    })
    expect(await refusal(call(null, sites.create, { orgId: here.org.id, name: 'No' }, using(key)))).toMatchObject({
      status: 403,
    })
    expect(await refusal(call(admin, keys.update, { id }))).toMatchObject({ message: 'No updates provided' })
    expect((await auditOf(id)).at(-1)).toMatchObject({ changed_fields: ['name', 'scopes'] })
  })

  it('returns 404 for a key of another partner', async () => {
    const { id } = await make(admin)
    const stranger = elsewhere.partnerAdmin
    const hidden = { status: 404, message: 'API key not found' }
    expect(await refusal(call(stranger, keys.get, { id }))).toMatchObject(hidden)
    expect(await refusal(call(stranger, keys.rotate, { id }))).toMatchObject(hidden)
    expect(await refusal(call(stranger, keys.revoke, { id }))).toMatchObject(hidden)
    expect(await refusal(call(stranger, keys.update, { id, name: 'Mine' }))).toMatchObject(hidden)
    const { data } = await call(stranger, keys.list, {})
    expect(data.map((each) => each.id)).not.toContain(id)
  })

  it('lists keys by status', async () => {
    const own = await world()
    const { id } = await make(own.partnerAdmin)
    const gone = await make(own.partnerAdmin)
    await call(own.partnerAdmin, keys.revoke, { id: gone.id })
    const idsOf = async (status?: 'active' | 'revoked') =>
      (await call(own.partnerAdmin, keys.list, { status })).data.map((each) => each.id)
    expect(await idsOf('active')).toEqual([id])
    expect(await idsOf('revoked')).toEqual([gone.id])
    expect(await idsOf()).toHaveLength(2)
  })
})

it('a key cannot use operations on passwords, second factors, sessions, users, roles or keys', () => {
  const personal = /^\/(auth|users|api-keys|sso)(\/|$)|\/users$/
  const governing = /^\/(roles|access-reviews)(\/|$)/
  const open = operations
    .filter(
      ({ endpoint: { access, kind, path } }) =>
        access.who !== 'public' && (personal.test(path) || (governing.test(path) && kind === 'mutation')),
    )
    .filter(({ endpoint }) => endpoint.access.kinds.includes('api-key'))
  expect(open.map(({ id }) => id)).toEqual([])
  expect(operations.some(({ endpoint }) => endpoint === session.me)).toBe(true)
})
