import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { processes } from '../../system-tools/processes.contract.ts'
import { autoUpdate } from '../auto-update/auto-update.contract.ts'
import { commands } from '../commands.contract.ts'
import { stops } from './stops.contract.ts'

const { system } = await testServices()
const here = await world()
const elsewhere = await world()
const [device = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'stopped')
const [foreign = ''] = await enrolled(elsewhere.orgAdmin, { orgId: elsewhere.org.id }, 'goes-on')
const script = { type: 'run_script', payload: { script: 'uptime' } } as const
const reason = 'Keys were stolen'

describe('the emergency stop', () => {
  afterEach(() => system.query('DELETE FROM command_stops WHERE partner_id = $1', [here.partner.id]))

  it('of a partner rejects all commands to its devices with the reason, and none of other partners', async () => {
    await call(here.partnerAdmin, stops.set, { reason })
    const told = { status: 409, code: 'COMMANDS_STOPPED', message: `Commands are stopped for this partner: ${reason}` }
    const id = device
    expect(await refusal(call(here.orgAdmin, commands.create, { id, ...script }))).toMatchObject(told)
    expect(await refusal(call(here.orgAdmin, commands.bulk, { deviceIds: [id], ...script }))).toMatchObject(told)
    expect(await refusal(call(here.orgAdmin, processes.list, { deviceId: id }))).toMatchObject(told)
    expect(await refusal(call(here.orgAdmin, autoUpdate.set, { id, enabled: false }))).toMatchObject(told)
    expect(await call(elsewhere.orgAdmin, commands.create, { id: foreign, ...script })).toMatchObject({
      status: 'pending',
    })
    expect(await call(elsewhere.orgAdmin, stops.get, {})).toEqual({ stopped: false, stops: [] })
    expect(await call(here.orgAdmin, stops.get, {})).toMatchObject({
      stopped: true,
      stops: [{ partnerId: here.partner.id, byScope: 'partner', reason, byUser: here.partnerAdmin.userId }],
    })
    expect(await call(here.partnerAdmin, stops.lift, {})).toEqual({ stopped: false, stops: [] })
    expect(await call(here.orgAdmin, commands.create, { id, ...script })).toMatchObject({ status: 'pending' })
    const written = await auditOf(here.partner.id)
    expect(written.filter(({ action }) => /command\.(stop|allow)/.test(action))).toMatchObject([
      { action: 'device.command.stop', details: { reason } },
      { action: 'device.command.allow' },
    ])
  })

  it('is set and lifted by users who reach the whole partner, and lifted only after a fresh sign-in', async () => {
    expect(await refusal(call(here.orgAdmin, stops.set, { reason }))).toMatchObject({ status: 403 })
    expect(await refusal(call(here.partnerViewer, stops.set, { reason }))).toMatchObject({ status: 403 })
    const tenant = { scope: 'partner', partnerId: here.partner.id } as const
    const partly = await person(tenant, { role: 'Partner Admin', orgAccess: 'selected', orgIds: [here.org.id] })
    expect(await refusal(call(partly, stops.set, { reason }))).toMatchObject({ status: 403 })
    const late = await person(tenant, { role: 'Partner Admin' })
    const longAgo = `UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`
    await system.query(longAgo, [late.sessionId])
    await call(late, stops.set, { reason })
    expect(await refusal(call(late, stops.lift, {}))).toMatchObject({
      status: 403,
      extra: { confirm: 'currentPassword' },
    })
    expect((await call(here.orgAdmin, stops.get, {})).stopped).toBe(true)
  })

  it('of the operator cannot be lifted by a partner, and a stop of all partners needs a confirmation', async () => {
    const partnerId = here.partner.id
    await call(here.systemAdmin, stops.set, { partnerId, reason: 'Seen abroad' })
    await call(here.partnerAdmin, stops.set, { reason })
    const state = await call(here.partnerAdmin, stops.lift, {})
    expect(state).toMatchObject({ stopped: true, stops: [{ byScope: 'system', reason: 'Seen abroad', byUser: null }] })
    expect(await refusal(call(here.partnerAdmin, stops.lift, {}))).toMatchObject({ status: 403 })
    expect((await call(here.systemAdmin, stops.lift, { partnerId })).stops).toEqual([])
    expect(await refusal(call(here.systemAdmin, stops.set, { reason }))).toMatchObject({ status: 400 })
    expect(
      await refusal(call(here.partnerAdmin, stops.set, { partnerId: elsewhere.partner.id, reason })),
    ).toMatchObject({ status: 403 })
  })
})
