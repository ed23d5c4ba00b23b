// Case D8: cursors, links and keys work only for the caller and purpose that they were issued for; links and keys once.
import { randomBytes } from 'node:crypto'
import { invitations } from '@muster/areas/access/users/invitations/invitations.contract.ts'
import { users } from '@muster/areas/access/users/users.contract.ts'
import { agents } from '@muster/areas/fleet/enrollment/agents.contract.ts'
import { provision } from '@muster/areas/fleet/enrollment/provision.contract.ts'
import { operations } from '@muster/areas/registry.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, machine } from '@muster/testkit/machines.ts'
import { tokenMailedTo } from '@muster/testkit/mail.ts'
import { testServices } from '@muster/testkit/services.ts'
import { type Person, world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { anyAddress, probe } from './probe.ts'

const { system } = await testServices()
const here = await world()
const elsewhere = await world()
const admin = here.partnerAdmin
const password = 'correct horse battery 42'

for (const there of [here, elsewhere]) await enrolled(there.partnerAdmin, { orgId: there.org.id }, 'a', 'b', 'c', 'd')

/** Lists of tenants, which the operator of the installation pages through with cursors that are no secret. */
const paged = operations.filter(({ endpoint }) => {
  if (endpoint.access.who === 'public' || !endpoint.access.scopes.includes('partner')) return false
  const { properties = {} } = z.toJSONSchema(endpoint.input, { io: 'input', unrepresentable: 'any' })
  return 'cursor' in properties
})
const Page = z.looseObject({ nextCursor: z.string().nullable() })

describe('a cursor', () => {
  it('is used by some lists', () => {
    expect(paged.map(({ id }) => id)).toEqual(expect.arrayContaining(['audit.logs.recent', 'devices.devices.list']))
  })

  it.each(paged.map((operation) => ({ id: operation.id, operation })))(
    'of $id is rejected for other callers, for another list, and after a change',
    async ({ operation }) => {
      const first = await probe(operation, admin, { limit: 2 })
      const cursor = Page.parse(JSON.parse(first.text)).nextCursor ?? ''
      const tries = async (who: Person, more: object) =>
        (await probe(operation, who, { limit: 2, cursor, ...more })).status
      expect(await tries(admin, {})).toBe(200)
      expect(await tries(elsewhere.partnerAdmin, {})).toBe(400)
      expect(await tries(here.orgAdmin, {})).toBe(400)
      expect(await tries(admin, { orgId: here.org.id })).toBe(400)
      const flipped = cursor.endsWith('A') ? 'B' : 'A'
      expect(await tries(admin, { cursor: `${cursor.slice(0, -1)}${flipped}x` })).toBe(400)
      for (const nonsense of ['x', '.', 'e30.e30', `${'A'.repeat(900)}.AAAA`]) {
        expect(await tries(admin, { cursor: nonsense })).toBe(400)
      }
    },
  )
})

describe('an invitation', () => {
  async function invited() {
    const email = `${randomBytes(6).toString('hex')}@example.test`
    const { data } = await call(admin, users.roles, {})
    const roleId = data.find(({ name }) => name === 'Partner Viewer')?.id ?? ''
    const { id } = await call(admin, invitations.invite, { email, name: 'Guest', roleId })
    return { id, email, token: await tokenMailedTo(email) }
  }
  const accept = (token: string) => call(null, invitations.acceptInvite, { token, password }, { ip: anyAddress() })

  it('works once, also for concurrent requests', async () => {
    const { token } = await invited()
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => accept(token)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await refusal(accept(token))).toMatchObject({ status: 400 })
  })

  it('is rejected for another person and after it expired', async () => {
    const [first, second] = [await invited(), await invited()]
    await system.query(`UPDATE user_invitations SET expires_at = now() - interval '1 second' WHERE user_id = $1`, [
      first.id,
    ])
    expect(await refusal(accept(first.token))).toMatchObject({ status: 400 })
    expect(await accept(second.token)).toMatchObject({ email: second.email })
    expect(await call(admin, users.get, { id: first.id })).toMatchObject({ status: 'invited' })
  })
})

describe('the key of a prepared device', () => {
  const prepare = () => call(admin, provision.create, { orgId: here.org.id, hostname: 'prepared' })
  const enroll = (enrollmentKey: string) =>
    call(null, agents.enroll, { enrollmentKey, ...machine() }, { ip: anyAddress() })

  it('enrolls one machine, also for concurrent requests', async () => {
    const { device, enrollment } = await prepare()
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => enroll(enrollment.key)))
    const admitted = outcomes.filter((one) => one.status === 'fulfilled')
    expect(admitted.map(({ value }) => value.deviceId)).toEqual([device.id])
  })
})
