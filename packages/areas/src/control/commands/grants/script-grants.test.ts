import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { isFor, readGrant, workOf } from '@muster/wire/grants.ts'
import { orderKeyOf } from '@muster/wire/orders.ts'
import { describe, expect, it } from 'vitest'
import { partners } from '../../../tenancy/tenancy/partners/partners.contract.ts'
import { approvals } from '../approvals/approvals.contract.ts'
import { commands } from '../commands.contract.ts'

const { system, grantKeyring } = await testServices()
const here = await world()
const names = Array.from({ length: 20 }, (_, index) => `granted-${index}`)
const deviceIds = await enrolled(here.orgAdmin, { orgId: here.org.id }, ...names)
const [deviceId = ''] = deviceIds
const payload = { script: 'uptime', env: { B: '2', A: '1' }, args: ['x'] }

/** The verified claims of a stored command's grant; null if it has none. */
async function claimsOf(commandId: string) {
  const { rows } = await system.query('SELECT script_grant FROM device_commands WHERE id = $1', [commandId])
  const token: string | null = rows[0].script_grant
  if (token === null) return null
  const grant = readGrant(token)
  const [key] = grantKeyring.grants
  expect(key && grant?.isSignedBy(orderKeyOf(key.x))).toBe(true)
  return grant?.claims
}

describe('a grant', () => {
  it('allows one script with its arguments on one device until the command expires', async () => {
    const sent = await call(here.orgAdmin, commands.create, {
      id: deviceId,
      type: 'run_script',
      payload,
      timeoutMs: 5_000,
    })
    const claims = await claimsOf(sent.id)
    expect(claims).toMatchObject({
      by: here.orgAdmin.userId,
      exp: Math.ceil(Date.parse(sent.expiresAt) / 1_000),
      scope: { deviceIds: [deviceId] },
      origin: { kind: 'command', id: sent.id },
    })
    expect(claims && isFor(claims, workOf(RunScript.parse(payload), 5_000))).toBe(true)
    expect(claims && isFor(claims, workOf(RunScript.parse({ ...payload, args: [] }), 5_000))).toBe(false)
    expect(JSON.stringify(sent)).not.toMatch(/grant/i)
  })

  it('of a bulk request names the device of its command, and few others', async () => {
    const order = { deviceIds, type: 'run_script', payload } as const
    const { commands: sent, batchId } = await call(here.orgAdmin, commands.bulk, order)
    expect(sent).toHaveLength(names.length)
    for (const { id, deviceId: to } of sent) {
      const claims = await claimsOf(id)
      expect(claims?.scope.deviceIds).toContain(to)
      expect(claims?.scope.deviceIds.length).toBeLessThanOrEqual(16)
      expect(claims?.origin).toEqual({ kind: 'batch', id: batchId })
    }
    expect(JSON.stringify(sent)).not.toMatch(/grant/i)
  })

  it('is not signed for other commands', async () => {
    const { id } = await call(here.orgAdmin, commands.create, { id: deviceId, type: 'refresh_inventory' })
    expect(await claimsOf(id)).toBeNull()
  })

  it('names the approval when a second person approved the script', async () => {
    await call(here.partnerAdmin, partners.updateMe, { settings: { secondPerson: true } })
    const [elsewhere = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'granted-elsewhere')
    const order = { deviceIds: [deviceId, elsewhere], type: 'run_script', payload } as const
    const { approval } = await call(here.partnerAdmin, commands.bulk, order)
    const second = await person({ scope: 'partner', partnerId: here.partner.id }, { role: 'Partner Admin' })
    const { id, hash } = await call(here.partnerAdmin, approvals.get, { id: approval?.id ?? '' })
    const { commands: sent } = await call(second, approvals.approve, { id, hash })
    expect(await claimsOf(sent[0]?.id ?? '')).toMatchObject({
      by: here.partnerAdmin.userId,
      origin: { kind: 'approval', id },
    })
  })
})
