import { randomUUID } from 'node:crypto'
import { asSystem, handleOn } from '@muster/db/database.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { person, world } from '@muster/testkit/world.ts'
import { RunScript } from '@muster/wire/commands/scripts.ts'
import { isFor, readGrant, workOf } from '@muster/wire/grants.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EndedCommand, outcome } from '../../../background/outcome.ts'
import { lifecycle } from '../../lifecycle/lifecycle.contract.ts'
import { windows } from '../../maintenance/windows.contract.ts'
import { secrets } from '../../secrets/secrets.contract.ts'
import { commands } from '../commands.contract.ts'
import { type BackgroundOrder, dropGrants, issueInBackground, ownerMay, planGrantMs, signPlan } from '../index.ts'
import type { Origin } from '../plans/origin.contract.ts'
import { commandReports } from '../results/commands.records.ts'
import { stops } from '../stops/stops.contract.ts'

const services = await testServices()
const { system } = services
const parts = await testWorkerParts()
const here = await world()
const partnerId = here.partner.id
const orgId = here.org.id
const deviceIds = await enrolled(here.partnerAdmin, { orgId }, 'plan-1', 'plan-2', 'plan-3')
const [one = '', two = '', three = ''] = deviceIds
const owner = { userId: here.partnerAdmin.userId, place: { scope: 'partner' as const, partnerId, orgId: null } }

const originOf = (more: Partial<Origin> = {}): Origin => ({
  ...{ kind: 'deployment', id: randomUUID(), step: 0, attempt: 1 },
  ...more,
})
const orderOf = (more: Partial<BackgroundOrder> = {}): BackgroundOrder => ({
  ...{ type: 'start_service', payload: { name: 'spooler' }, timeoutMs: 60_000, respectMaintenance: true },
  expiresAt: new Date(Date.now() + 600_000).toISOString(),
  ...{ origin: originOf(), owner },
  ...more,
})
/** Issues in a transaction of a worker, without sending anything. */
const issued = (order: BackgroundOrder, ids: readonly string[] = deviceIds) =>
  inTransaction(parts.pool, (client) => issueInBackground(handleOn(client), parts, order, ids))
const reasons = async (order: BackgroundOrder, ids?: readonly string[]) =>
  Object.fromEntries((await issued(order, ids)).skipped.map(({ deviceId, reason }) => [deviceId, reason]))
const stored = async (planId: string) =>
  (
    await system.query<{ id: string; device_id: string; created_by: string; origin: Origin; script_grant: string }>(
      `SELECT * FROM device_commands WHERE origin ->> 'id' = $1 ORDER BY device_id`,
      [planId],
    )
  ).rows

describe('commands of a plan', () => {
  it('are created in the name of its owner, audited as the system, and sent after the commit', async () => {
    const order = orderOf()
    const { commands: made, skipped, afterCommit } = await issued(order)
    expect([made.map(({ deviceId }) => deviceId).sort(), skipped]).toEqual([[...deviceIds].sort(), []])
    expect(await stored(order.origin.id)).toMatchObject(
      [...deviceIds].sort().map((id) => ({ device_id: id, created_by: owner.userId, origin: order.origin })),
    )
    const before = parts.published.length
    await afterCommit()
    expect(parts.published.length - before).toBe(deviceIds.length)
    const { rows } = await system.query(
      `SELECT actor_type, details FROM audit_logs WHERE action = 'device.command.bulk' AND details #>> '{origin,id}' = $1`,
      [order.origin.id],
    )
    expect(rows).toHaveLength(deviceIds.length)
    expect(rows[0]).toMatchObject({
      ...{ actor_type: 'system' },
      details: { owner: owner.userId, origin: order.origin, type: 'start_service' },
    })
  })

  it('exist once per device and origin, however often they are issued; another attempt is another command', async () => {
    const order = orderOf()
    const first = await issued(order, [one])
    const again = await issued(order, [one, two])
    expect(again.commands.find(({ deviceId }) => deviceId === one)?.id).toBe(first.commands[0]?.id)
    expect(again).toMatchObject({ skipped: [] })
    expect(await stored(order.origin.id)).toHaveLength(2)
    const { origin } = order
    for (const next of [{ attempt: 2 }, { step: 1 }, { run: randomUUID() }])
      expect((await issued({ ...order, origin: { ...origin, ...next } }, [one])).commands).toHaveLength(1)
    expect(await stored(origin.id)).toHaveLength(5)
  })

  it('of one origin never exist twice, also when workers are killed at any step and issue at the same time', async () => {
    const turn = fc.record({
      ids: fc.subarray(deviceIds, { minLength: 1 }),
      attempt: fc.integer({ min: 1, max: 2 }),
      dies: fc.constantFrom('before the commit', 'before sending', 'never'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(turn, turn), { minLength: 1, maxLength: 4 }), async (turns) => {
        const origin = originOf()
        const committed = new Set<string>()
        const issue = async ({ ids, attempt, dies }: (typeof turns)[number][number]) => {
          const order = orderOf({ origin: { ...origin, attempt } })
          const killed = new Error('killed')
          try {
            const { commands: made, afterCommit } = await inTransaction(parts.pool, async (client) => {
              const done = await issueInBackground(handleOn(client), parts, order, ids)
              if (dies === 'before the commit') throw killed
              return done
            })
            expect(made.map(({ deviceId }) => deviceId).sort()).toEqual([...ids].sort())
            for (const { deviceId } of made) committed.add(`${deviceId} ${attempt}`)
            if (dies === 'never') await afterCommit()
          } catch (error) {
            if (error !== killed) throw error
          }
        }
        for (const both of turns) await Promise.all(both.map(issue))
        const found = (await stored(origin.id)).map((row) => `${row.device_id} ${row.origin.attempt}`)
        expect(found.sort()).toEqual([...committed].sort())
      }),
      { numRuns: 25 },
    )
  })

  it('count at the start of the plan, not toward the later reach of its owner', async () => {
    const who = await person({ scope: 'partner', partnerId }, { role: 'Partner Admin' })
    const own = { ...owner, userId: who.userId }
    await issued(orderOf({ owner: own }))
    const { rows } = await system.query(
      'SELECT count(*)::int AS count FROM device_commands WHERE created_by = $1 AND origin IS NULL',
      [who.userId],
    )
    expect(rows).toEqual([{ count: 0 }])
  })

  it('are not created where a request would be refused', async () => {
    const order = orderOf({ type: 'run_script', payload: { script: 'true', language: 'sh' } })
    const away = await world()
    const [foreign = ''] = await enrolled(away.partnerAdmin, { orgId: away.org.id }, 'foreign')
    const [gone = ''] = await enrolled(here.partnerAdmin, { orgId }, 'gone')
    await call(here.partnerAdmin, lifecycle.remove, { id: gone })
    const [old = ''] = await enrolled(here.partnerAdmin, { orgId }, 'old')
    await system.query(`UPDATE devices SET agent_version = '0.0.1' WHERE id = $1`, [old])
    expect(await reasons(order, [one, foreign, gone, old, randomUUID()])).toMatchObject({
      ...{ [one]: 'no_grant', [foreign]: 'out_of_reach', [gone]: 'decommissioned', [old]: 'agent_too_old' },
    })
    const [held = ''] = await enrolled(here.partnerAdmin, { orgId }, 'held')
    const window = { orgId, name: 'W', durationMinutes: 60, targets: { deviceIds: [held] } }
    await call(here.partnerAdmin, windows.create, { ...window, effects: { scripts: 'suppress' } })
    await signed({ id: order.origin.id })
    expect(await reasons(order, [one, held])).toEqual({ [held]: 'maintenance' })
    expect(await reasons({ ...order, respectMaintenance: false }, [held])).toEqual({})
    const huge = { name: 'x'.repeat(4 * 1024 * 1024) }
    expect(await reasons(orderOf({ payload: huge }), [one])).toEqual({ [one]: 'too_large' })
  })

  it('are held while commands are stopped or the partner is suspended, and go on after that', async () => {
    const order = orderOf()
    await call(here.partnerAdmin, stops.set, { reason: 'Emergency' })
    expect(await reasons(order, [one])).toEqual({ [one]: 'commands_stopped' })
    await call(here.partnerAdmin, stops.lift, {})
    await system.query(`UPDATE partners SET status = 'suspended' WHERE id = $1`, [partnerId])
    expect(await reasons(order, [one])).toEqual({ [one]: 'organization_suspended' })
    await system.query(`UPDATE partners SET status = 'active' WHERE id = $1`, [partnerId])
    expect(await reasons(order, [one])).toEqual({})
  })

  it('are not created when the owner is gone, lost the permission or the reach', async () => {
    const who = await person({ scope: 'partner', partnerId }, { role: 'Partner Admin' })
    const own = { ...owner, userId: who.userId }
    const change = (what: string) => system.query(`UPDATE partner_users SET ${what} WHERE user_id = $1`, [who.userId])
    await change(`org_access = 'selected', org_ids = ARRAY['${here.otherOrg.id}'::uuid]`)
    expect(await reasons(orderOf({ owner: own }), [one])).toEqual({ [one]: 'out_of_reach' })
    await change(`org_access = 'all', role_id = (SELECT id FROM roles WHERE is_system AND name = 'Partner Viewer')`)
    expect(await reasons(orderOf({ owner: own }), [one])).toEqual({ [one]: 'owner_not_permitted' })
    const place = { scope: 'partner' as const, partnerId, orgId: null }
    const judged = asSystem(system, (db) => ownerMay(db, { userId: randomUUID(), place }, [], { deviceIds: [] }))
    expect(await judged).toBe('not_permitted')
  })

  it('tell the outcomes of their plans how they ended, and no others', async () => {
    const seen: [string, EndedCommand][] = []
    const remember = (name: string, more: object) =>
      outcome({
        command: 'any',
        ...more,
        async apply(_transaction, ended) {
          seen.push(...ended.map((command) => [name, command] as [string, EndedCommand]))
          return {}
        },
      })
    const outcomes = [
      remember('all', {}),
      remember('deployments', { origins: ['deployment'] }),
      remember('policies', { origins: ['policy'] }),
    ]
    const order = orderOf()
    const { commands: made } = await issued(order, [one])
    const direct = await call(here.partnerAdmin, commands.create, {
      ...{ id: two, type: 'start_service', payload: { name: 'spooler' } },
    })
    const ends = [...made, direct].map(({ id: commandId, deviceId }) => ({
      ...{ name: 'result' as const, deviceId, atMs: Date.now() },
      body: { commandId, status: 'completed' as const, exitCode: 0, stdout: '', durationMs: 5 },
    }))
    await inTransaction(parts.pool, (client) => commandReports.store(client, ends, { ...parts, outcomes }))
    const told = (name: string) => seen.filter(([by]) => by === name).map(([, { id, origin }]) => ({ id, origin }))
    const own = { id: made[0]?.id, origin: order.origin }
    expect(told('all')).toEqual(expect.arrayContaining([own, { id: direct.id, origin: null }]))
    expect([told('deployments'), told('policies')]).toEqual([[own], []])
  })
})

const payload = { script: 'echo "$PARAM_HOST"', language: 'sh', env: { PARAM_MODE: 'fast' } }
const script = { type: 'run_script', payload } as const

/** Signs the scripts of a plan as admin does when a person starts it. */
const signed = (more: { id: string } & Partial<Parameters<typeof signPlan>[1]>) =>
  asSystem(system, (db) => {
    const { id, ...changes } = more
    return signPlan(
      { db, services },
      {
        ...{ origin: { kind: 'deployment', id }, owner: { partnerId, orgId: null }, by: owner.userId },
        work: [{ payload: { script: 'true', language: 'sh' }, timeoutMs: 60_000 }],
        ...{ scope: { orgIds: null }, expiresAtMs: Date.now() + planGrantMs, ...changes },
      },
    )
  })
const work = [{ payload, timeoutMs: 60_000, perDevice: ['PARAM_HOST'] }]
const claimsOf = async (planId: string) =>
  (await stored(planId)).map((row) => [row.device_id, readGrant(row.script_grant)?.claims] as const)

describe('the scripts of a plan', () => {
  it('carry the grant that was signed for exactly this script, with the values of single devices left open', async () => {
    const order = orderOf({ ...script, perDevice: ['PARAM_HOST'] })
    const { id } = order.origin
    await signed({ id, work })
    const deviceEnv = new Map<string, Record<string, string>>([
      [one, { PARAM_HOST: 'one' }],
      [two, { PARAM_HOST: 'two' }],
      [three, { PARAM_HOST: 'three', PARAM_OTHER: 'x' }],
    ])
    expect(await reasons({ ...order, deviceEnv })).toEqual({ [three]: 'no_grant' })
    for (const [deviceId, claims] of await claimsOf(id)) {
      expect(claims).toMatchObject({
        ...{ by: owner.userId, origin: { kind: 'deployment', id }, perDevice: ['PARAM_HOST'] },
        scope: { partnerId, orgIds: [], deviceIds: [] },
      })
      const env = { ...payload.env, ...deviceEnv.get(deviceId) }
      const parsed = (more: object) => RunScript.parse({ ...payload, env, ...more })
      expect(claims && isFor(claims, workOf(parsed({}), 60_000, claims.perDevice))).toBe(true)
      expect(claims && isFor(claims, workOf(parsed({ script: 'rm' }), 60_000, claims.perDevice))).toBe(false)
    }
  })

  it.each<[string, Partial<BackgroundOrder>]>([
    ['another script', { payload: { ...payload, script: 'rm -rf /' } }],
    ['other fixed parameters', { payload: { ...payload, env: { PARAM_MODE: 'slow' } } }],
    ['another time', { timeoutMs: 61_000 }],
    ['further open parameters', { perDevice: ['PARAM_HOST', 'PARAM_MODE'] }],
    ['another folder', { payload: { ...payload, workingDirectory: '/tmp' } }],
  ])('are not sent with %s than was signed', async (_what, change) => {
    const order = orderOf({ ...script, perDevice: ['PARAM_HOST'] })
    await signed({ id: order.origin.id, work })
    expect(await reasons({ ...order, ...change }, [one])).toEqual({ [one]: 'no_grant' })
    expect(await reasons(order, [one])).toEqual({})
  })

  it('get the nearest secrets, and skip devices without them or with none that their owner may use', async () => {
    const name = `plan-${randomUUID()}`
    const taking = { ...payload, secrets: { PARAM_TOKEN: name } }
    const signedOrder = async (more: Partial<BackgroundOrder> = {}) => {
      const order = orderOf({ ...script, payload: taking, ...more })
      await signed({ id: order.origin.id, work: [{ payload: taking, timeoutMs: 60_000 }] })
      return order
    }
    expect(await reasons(await signedOrder(), [one])).toEqual({ [one]: 'missing_secret' })
    const made = await call(here.partnerAdmin, secrets.create, { name, value: 'of the partner' })
    const byOrganization = { userId: here.orgAdmin.userId, place: { scope: 'organization' as const, partnerId, orgId } }
    expect(await reasons(await signedOrder({ owner: byOrganization }), [one])).toEqual({ [one]: 'missing_secret' })
    const order = await signedOrder()
    expect(await reasons(order, [one])).toEqual({})
    expect(await stored(order.origin.id)).toMatchObject([{ device_id: one, secret_ids: { PARAM_TOKEN: made.id } }])
  })

  it('are sent only to devices for which they were signed: named ones, those of organizations, or of the partner', async () => {
    const [elsewhere = ''] = await enrolled(here.partnerAdmin, { orgId: here.otherOrg.id }, 'elsewhere')
    const scopes = [
      [{ deviceIds: [one, two, one] }, [one, two]],
      [{ orgIds: [orgId] }, deviceIds],
      [{ orgIds: null }, [...deviceIds, elsewhere]],
    ] as const
    for (const [scope, reached] of scopes) {
      const order = orderOf({ ...script, perDevice: ['PARAM_HOST'] })
      await signed({ id: order.origin.id, work, scope })
      const { commands: made } = await issued(order, [...deviceIds, elsewhere])
      expect(made.map(({ deviceId }) => deviceId).sort()).toEqual([...reached].sort())
    }
  })

  it('are no longer sent after the plan was signed again for others, its grants were dropped, or they expired', async () => {
    const attempt = (id: string, number: number) =>
      reasons(orderOf({ ...script, perDevice: ['PARAM_HOST'], origin: originOf({ id, attempt: number }) }), [one])
    const id = randomUUID()
    await signed({ id, work })
    expect(await attempt(id, 1)).toEqual({})
    await signed({ id })
    expect(await attempt(id, 2)).toEqual({ [one]: 'no_grant' })
    await signed({ id, work })
    await asSystem(system, (db) => dropGrants(db, { kind: 'deployment', id }))
    expect(await attempt(id, 3)).toEqual({ [one]: 'no_grant' })
    await signed({ id, work, expiresAtMs: Date.now() - 1_000 })
    expect(await attempt(id, 4)).toEqual({ [one]: 'no_grant' })
    await signed({ id: randomUUID() })
    const { rows } = await system.query('SELECT FROM plan_grants WHERE plan_id = $1', [id])
    expect(rows).toEqual([])
  })

  it('name few devices or organizations each', async () => {
    const id = randomUUID()
    const many = Array.from({ length: 100 }, () => randomUUID())
    const scopesOf = async () =>
      (await system.query<{ script_grant: string }>('SELECT * FROM plan_grants WHERE plan_id = $1', [id])).rows.map(
        (row) => readGrant(row.script_grant)?.claims.scope,
      )
    await signed({ id, scope: { deviceIds: many } })
    const named = await scopesOf()
    expect(named.flatMap((scope) => scope?.deviceIds ?? []).sort()).toEqual([...many].sort())
    expect(Math.max(...named.map((scope) => scope?.deviceIds.length ?? 99))).toBeLessThanOrEqual(64)
    await signed({ id, scope: { orgIds: many } })
    expect((await scopesOf()).map((scope) => scope?.orgIds.length).sort()).toEqual([36, 64])
  })
})
