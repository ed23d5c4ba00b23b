// Of twenty concurrent requests, exactly as many succeed as the limit allows.
import { keys as apiKeys } from '@muster/areas/access/api-keys/keys.contract.ts'
import { agents } from '@muster/areas/fleet/enrollment/agents.contract.ts'
import { codes } from '@muster/areas/fleet/enrollment/codes/codes.contract.ts'
import { keys } from '@muster/areas/fleet/enrollment/keys/keys.contract.ts'
import { provision } from '@muster/areas/fleet/enrollment/provision.contract.ts'
import { organizations } from '@muster/areas/tenancy/tenancy/organizations/organizations.contract.ts'
import { call } from '@muster/testkit/call.ts'
import { machine } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { anyAddress } from './probe.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const admin = here.partnerAdmin
const enroll = (enrollmentKey: string) =>
  call(null, agents.enroll, { enrollmentKey, ...machine() }, { ip: anyAddress() })

/** How many of twenty concurrent requests succeed. The others are rejected with a message. */
async function passing(request: (index: number) => Promise<unknown>): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => request(index)))
  for (const outcome of outcomes)
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ status: expect.toBeOneOf([400, 403, 409]) })
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

it('an enrollment key enrolls machines up to its limit', async () => {
  const { id, key } = await call(admin, keys.create, { orgId, name: 'Seven', maxUsage: 7 })
  expect(await passing(() => enroll(key))).toBe(7)
  expect(await call(admin, keys.get, { id })).toMatchObject({ usageCount: 7 })
})

it('an install code enrolls machines up to its limit', async () => {
  const { id } = await call(admin, keys.create, { orgId, name: 'For a code', maxUsage: 100 })
  const { code } = await call(admin, codes.create, { id, maxUsage: 3 })
  expect(await passing(() => enroll(code))).toBe(3)
})

it('an organization and a partner get devices up to their limit', async () => {
  const own = await world()
  await system.query('UPDATE organizations SET max_devices = 4 WHERE id = $1', [own.org.id])
  await system.query('UPDATE partners SET max_devices = 9 WHERE id = $1', [own.partner.id])
  const prepare = (place: string) => (index: number) =>
    call(own.partnerAdmin, provision.create, { orgId: place, hostname: `h${index}` })
  expect(await passing(prepare(own.org.id))).toBe(4)
  expect(await passing(prepare(own.otherOrg.id))).toBe(5)
})

it('a partner gets organizations up to its limit', async () => {
  const own = await world()
  await system.query('UPDATE partners SET max_organizations = 5 WHERE id = $1', [own.partner.id])
  const make = (index: number) => call(own.partnerAdmin, organizations.create, { name: `O${index}`, slug: `o${index}` })
  expect(await passing(make)).toBe(3)
})

it('only one of twenty organizations gets the same slug', async () => {
  expect(await passing(() => call(admin, organizations.create, { name: 'Same', slug: 'same' }))).toBe(1)
})

it('a person gets API keys up to the limit', async () => {
  const who = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
  await system.query(
    `INSERT INTO api_keys (partner_id, user_id, scope, name, prefix, key_hash, scopes, expires_at)
     SELECT $1, $2, 'partner', 'k', 'p', gen_random_uuid()::text, ARRAY['devices:read'], now() + interval '1 day'
     FROM generate_series(1, 44)`,
    [here.partner.id, who.userId],
  )
  expect(await passing((index) => call(who, apiKeys.create, { name: `K${index}`, scopes: ['devices:read'] }))).toBe(6)
})
