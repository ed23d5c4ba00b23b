// Case A9: API keys stay within their scopes, and lose access when their creator loses it.
import { keys } from '@muster/areas/access/api-keys/keys.contract.ts'
import type { Operation } from '@muster/areas/operation.ts'
import { operations } from '@muster/areas/registry.ts'
import { AppError } from '@muster/kit/errors.ts'
import { follow } from '@muster/kit/operation/follow.ts'
import { run } from '@muster/kit/operation/run.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { call, refusal, requestAs } from '@muster/testkit/call.ts'
import { browser } from '@muster/testkit/credentials.ts'
import { testRuntime, testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { startServers } from './servers.ts'

const here = await world()
const { system } = await testServices()
const runtime = await testRuntime()
const [near, far] = await startServers(2)
if (near === undefined || far === undefined) throw new Error('no servers')
const admin = here.partnerAdmin
const createKey = (scopes: Permission[]) => call(admin, keys.create, { name: 'Script', scopes })
const guarded = operations.filter(({ endpoint }) => endpoint.access.who !== 'public')

async function statusOf(operation: Operation, key: string): Promise<number> {
  const request = requestAs(null, { headers: { 'x-api-key': key } })
  const { reply } = browser()
  try {
    if (operation.endpoint.kind === 'subscription') await follow(operation, {}, request, reply, runtime).next()
    else await run(operation, {}, request, reply, runtime)
    return operation.endpoint.status
  } catch (error) {
    if (error instanceof AppError) return error.status
    throw error
  }
}

describe('A9', () => {
  it('rejects a key with more permissions than its creator has', async () => {
    const refused = await refusal(call(here.partnerViewer, keys.create, { name: 'x', scopes: ['sites:read'] }))
    expect(refused.status).toBe(403)
  })

  it('rejects a key with all permissions at operations that require a user', async () => {
    const { key } = await createKey(['*:*'])
    const inPerson = guarded.filter(({ endpoint }) => !endpoint.access.kinds.includes('api-key'))
    expect(inPerson.length).toBeGreaterThan(30)
    for (const operation of inPerson) {
      expect([operation.id, await statusOf(operation, key)]).toEqual([operation.id, 403])
    }
  })

  it('rejects a key with one permission at operations that require another', async () => {
    const { key } = await createKey(['sites:read'])
    const others = guarded.filter(
      ({ endpoint: { access } }) =>
        access.kinds.includes('api-key') && access.permission !== null && access.permission !== 'sites:read',
    )
    expect(others.length).toBeGreaterThan(20)
    for (const operation of others) {
      expect([operation.id, await statusOf(operation, key)]).toEqual([operation.id, 403])
    }
  })

  it('reduces a key within a second on another process when its creator is demoted', async () => {
    const own = await world()
    const { key } = await call(own.partnerAdmin, keys.create, {
      name: 'x',
      scopes: ['sites:read', 'sites:write'],
    })
    const write = () =>
      far.request('POST', '/api/v1/orgs/sites', {
        body: { orgId: own.org.id, name: 'By key' },
        headers: { 'x-api-key': key },
      })
    expect((await write()).status).toBe(201)
    const { rows } = await system.query(`SELECT id FROM roles WHERE is_system AND name = 'Partner Viewer'`)
    const demoted = await near.request('POST', `/api/v1/users/${own.partnerAdmin.userId}/role`, {
      token: own.systemAdmin.token,
      body: { roleId: rows[0].id, partnerId: own.partner.id },
    })
    // The API refuses to demote the last administrator of a partner. A change in the database takes effect as fast.
    if (demoted.status !== 200) {
      await system.query('UPDATE partner_users SET role_id = $2 WHERE user_id = $1', [
        own.partnerAdmin.userId,
        rows[0].id,
      ])
    }
    const at = performance.now()
    while ((await write()).status !== 403) expect(performance.now() - at).toBeLessThan(1_000)
    const reading = await far.request('GET', '/api/v1/orgs/sites', { headers: { 'x-api-key': key } })
    expect(reading.status).toBe(200)
  })

  it('rejects an expired key, and the previous secret when the overlap of its rotation has ended', async () => {
    const { id, key } = await createKey(['sites:read'])
    const rotated = await call(admin, keys.rotate, { id })
    const list = (secret: string) => far.request('GET', '/api/v1/orgs/sites', { headers: { 'x-api-key': secret } })
    expect([(await list(key)).status, (await list(rotated.key)).status]).toEqual([200, 200])
    await system.query(`UPDATE api_keys SET previous_expires_at = now() - interval '1 second' WHERE id = $1`, [id])
    const at = performance.now()
    while ((await list(key)).status !== 401) expect(performance.now() - at).toBeLessThan(1_000)
    expect((await list(rotated.key)).status).toBe(200)
    await system.query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [id])
    while ((await list(rotated.key)).status !== 401) expect(performance.now() - at).toBeLessThan(2_000)
  })
})
