import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import type { Fact, FactValue } from '@muster/wire/facts/facts.ts'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { compliance } from '../compliance/compliance.contract.ts'
import { policies } from '../policies.contract.ts'
import type { Rule } from '../rules/rules.contract.ts'
import { answers, evaluated, queued } from '../testing/machines.ts'

const { system } = await testServices()
const here = await world()
const orgId = here.org.id
const [deviceId = ''] = await enrolled(here.partnerAdmin, { orgId }, 'watched')

const path = '/etc/ssh/sshd_config'
const login = { key: 'login', type: 'file' as const, path, setting: { name: 'PermitRootLogin', value: 'no' } }
const mode = { key: 'mode', type: 'file' as const, path, mode: '600' }
const asked: Fact = { type: 'file', path, setting: 'PermitRootLogin' }
const sees = (value: string): FactValue => ({ type: 'file', kind: 'file', mode: '0600', settings: [value] })

async function active(rules: z.input<typeof Rule>[]): Promise<string> {
  const assignments = [{ level: 'organization' as const, id: orgId }]
  const { id } = await call(here.orgAdmin, policies.create, { orgId, name: 'Facts', rules, assignments })
  await call(here.orgAdmin, policies.activate, { id })
  await evaluated(orgId)
  return id
}
const end = async (id: string) => {
  await call(here.orgAdmin, policies.deactivate, { id })
  await evaluated(orgId)
}
const statusOf = async (id: string) => (await call(here.orgAdmin, compliance.list, { id })).data[0]?.status
const watched = async (): Promise<Fact[]> => {
  const { rows } = await system.query<{ items: { fact: Fact }[] }>(
    `SELECT items FROM device_assignments WHERE device_id = $1 AND kind = 'facts'`,
    [deviceId],
  )
  return (rows[0]?.items ?? []).map(({ fact }) => fact)
}

describe('a policy with a rule about a fact', () => {
  it('has devices watch the fact, and judges it whenever it changes', async () => {
    const id = await active([login])
    expect(await watched()).toEqual([asked])
    expect(await statusOf(id)).toBe('pending')
    await answers(deviceId, asked, sees('yes'))
    expect(await queued(orgId)).toEqual([deviceId])
    await evaluated(orgId)
    expect(await statusOf(id)).toBe('non_compliant')
    await answers(deviceId, asked, sees('no'))
    await evaluated(orgId)
    expect(await statusOf(id)).toBe('compliant')
    await answers(deviceId, asked, null, 'DENIED: no permission')
    await evaluated(orgId)
    expect(await statusOf(id)).toBe('error')
    await end(id)
    expect(await watched()).toEqual([])
  })

  it('shares a fact with other policies, and follows edits', async () => {
    const one = await active([login])
    const other = await active([{ ...login, key: 'other', setting: { ...login.setting, value: 'yes' } }, mode])
    expect(await watched()).toHaveLength(2)
    await answers(deviceId, asked, sees('no'))
    await evaluated(orgId)
    expect([await statusOf(one), await statusOf(other)]).toEqual(['compliant', 'non_compliant'])
    await end(one)
    expect(await watched()).toHaveLength(2)
    await call(here.orgAdmin, policies.update, { id: other, rules: [mode] })
    await evaluated(orgId)
    expect(await watched()).toEqual([{ type: 'file', path }])
    await end(other)
  })

  it('does not judge again what was answered alike', async () => {
    const id = await active([login])
    await answers(deviceId, asked, sees('no'))
    await evaluated(orgId)
    await answers(deviceId, asked, sees('no'))
    expect(await queued(orgId)).toEqual([])
    await end(id)
  })
})
