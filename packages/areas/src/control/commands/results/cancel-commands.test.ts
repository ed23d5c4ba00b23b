import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { type EndedCommand, outcome } from '../../../background/outcome.ts'
import { createRuntime } from '../../../runtime.ts'
import { lifecycle } from '../../lifecycle/lifecycle.contract.ts'
import { commands } from '../commands.contract.ts'

const services = await testServices()
const here = await world()

/** A device with a waiting command, and a runtime whose outcome for scripts adds the rows that it sees to the result. */
async function waiting() {
  const [id = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'canceled')
  const payload = { script: 'uptime' }
  const command = await call(here.orgAdmin, commands.create, { id, type: 'run_script', payload })
  const applied: EndedCommand[] = []
  const remember = outcome({
    command: 'run_script',
    async apply(transaction, ended) {
      applied.push(...ended)
      const text = 'SELECT status, device_id AS "deviceId" FROM device_commands WHERE id = ANY($1::uuid[])'
      const { rows } = await transaction.query({ text, values: [ended.map((one) => one.id)] })
      return { additions: new Map(ended.map((one) => [one.id, { seen: rows }])) }
    },
  })
  const outcomes = [remember]
  const runtime = createRuntime({ ...services, outcomes, core: { ...services.core, outcomes } })
  return { id, commandId: command.id, applied, runtime }
}

describe('the outcome of a command is applied in the same transaction when the command', () => {
  it('is canceled before it started', async () => {
    const { id, commandId, applied, runtime } = await waiting()
    await call(here.orgAdmin, commands.cancel, { id, commandId }, { runtime })
    const place = { deviceId: id, orgId: here.org.id, partnerId: here.partner.id }
    expect(applied).toMatchObject([{ id: commandId, ...place, type: 'run_script', status: 'cancelled', stdout: null }])
    const { result } = await call(here.orgAdmin, commands.get, { id, commandId })
    expect(result).toEqual({ seen: [{ status: 'cancelled', deviceId: id }] })
  })

  it('is canceled because its device is decommissioned', async () => {
    const { id, commandId, applied, runtime } = await waiting()
    await call(here.orgAdmin, lifecycle.remove, { id }, { runtime })
    expect(applied).toMatchObject([{ id: commandId, status: 'cancelled' }])
  })

  it('is canceled because its device moves to another organization', async () => {
    const { id, commandId, applied, runtime } = await waiting()
    await call(here.partnerAdmin, lifecycle.moveOrg, { id, orgId: here.otherOrg.id }, { runtime })
    expect(applied).toMatchObject([{ id: commandId, status: 'cancelled', orgId: here.org.id }])
  })
})
