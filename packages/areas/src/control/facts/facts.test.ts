import { asSystem } from '@muster/db/database.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import type { Fact, FactFinding } from '@muster/wire/facts/facts.ts'
import { describe, expect, it } from 'vitest'
import { factKey } from './fact-key.ts'
import { factObserver } from './fact-observer.ts'
import { assignFacts, factsOf } from './facts.ts'

const services = await testServices()
const { system } = services
const here = await world()
const machine = async () => (await enrolled(here.partnerAdmin, { orgId: here.org.id }, 'watched'))[0] ?? ''

const sshd: Fact = { type: 'file', path: '/etc/ssh/sshd_config', setting: 'PermitRootLogin' }
const cron: Fact = { type: 'service', name: 'cron' }
const no: FactFinding = { type: 'file', kind: 'file', mode: '0644', owner: 'root', settings: ['no'] }
const yes: FactFinding = { ...no, settings: ['yes'] }

const assign = (deviceId: string, ...facts: Fact[]) => asSystem(system, (db) => assignFacts(db, [{ deviceId, facts }]))
const known = (deviceId: string, ...keys: string[]) =>
  asSystem(system, (db) => factsOf(db, [deviceId], keys.length > 0 ? keys : undefined))
const observe = (deviceId: string, fact: Fact, found: FactFinding, at = Date.now()) =>
  inTransaction(system, (client) => factObserver.store(client, [{ deviceId, id: factKey(fact), at, found }], services))
const itemsOf = async (deviceId: string) =>
  (await system.query(`SELECT items FROM device_assignments WHERE device_id = $1 AND kind = 'facts'`, [deviceId]))
    .rows[0]?.items

describe('the facts of a device', () => {
  it('become its assignment, each once, in any order', async () => {
    const deviceId = await machine()
    expect(await assign(deviceId, sshd, cron, { ...sshd })).toEqual([deviceId])
    const items = await itemsOf(deviceId)
    expect(items).toHaveLength(2)
    expect(items).toEqual(expect.arrayContaining([sshd, cron].map((fact) => ({ id: factKey(fact), fact }))))
    expect(await assign(deviceId, cron, sshd)).toEqual([])
    expect(await assign(deviceId)).toEqual([deviceId])
    expect(await itemsOf(deviceId)).toEqual([])
  })

  it('have a key that depends on what is asked alone', () => {
    expect(factKey({ setting: 'a', path: '/b', type: 'file' })).toBe(
      factKey({ type: 'file', path: '/b', setting: 'a' }),
    )
    expect(factKey({ type: 'file', path: '/b', setting: 'a' })).not.toBe(factKey({ type: 'file', path: '/b' }))
    expect(factKey(cron)).toMatch(/^[0-9a-f]{32}$/)
  })

  it('are at most two hundred', async () => {
    const deviceId = await machine()
    const facts = Array.from({ length: 201 }, (_, index): Fact => ({ type: 'file', path: `/etc/${index}` }))
    await assign(deviceId, ...facts)
    expect(await itemsOf(deviceId)).toHaveLength(200)
  })

  it('are unknown until the device answered', async () => {
    const deviceId = await machine()
    await assign(deviceId, sshd, cron)
    expect(await known(deviceId)).toEqual([])
    await observe(deviceId, sshd, no, 1_700_000_000_000)
    expect(await known(deviceId)).toEqual([
      { deviceId, key: factKey(sshd), value: no, error: null, observedAt: '2023-11-14T22:13:20.000Z' },
    ])
    expect(await known(deviceId, factKey(cron))).toEqual([])
    await observe(deviceId, cron, { type: 'unknown', why: 'NO_SERVICE_MANAGER: no systemd' })
    expect(await known(deviceId, factKey(cron))).toMatchObject([
      { value: null, error: 'NO_SERVICE_MANAGER: no systemd' },
    ])
  })

  it('keep the time of their last change', async () => {
    const deviceId = await machine()
    await assign(deviceId, sshd)
    await observe(deviceId, sshd, no, 1_700_000_000_000)
    await observe(deviceId, sshd, no, 1_700_000_060_000)
    expect((await known(deviceId))[0]?.observedAt).toBe('2023-11-14T22:13:20.000Z')
    await observe(deviceId, sshd, yes, 1_700_000_120_000)
    expect(await known(deviceId)).toMatchObject([{ value: yes, observedAt: '2023-11-14T22:15:20.000Z' }])
  })

  it('are forgotten with their assignment, and a late answer brings none back', async () => {
    const deviceId = await machine()
    await assign(deviceId, sshd, cron)
    await observe(deviceId, sshd, no)
    await observe(deviceId, cron, { type: 'service', state: 'running' })
    await assign(deviceId, cron)
    await observe(deviceId, sshd, yes)
    expect((await known(deviceId)).map(({ key }) => key)).toEqual([factKey(cron)])
  })

  it('of one read count by their last answer', async () => {
    const deviceId = await machine()
    await assign(deviceId, sshd)
    const answer = (found: FactFinding) => ({ deviceId, id: factKey(sshd), at: Date.now(), found })
    await inTransaction(system, (client) => factObserver.store(client, [answer(yes), answer(no)], services))
    expect(await known(deviceId)).toMatchObject([{ value: no }])
  })
})
