import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DiskStore } from '@muster/files/disk-store.ts'
import { replaceWith } from '@muster/files/object-store.ts'
import { createReleaseKey } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled, setState } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { person, world } from '@muster/testkit/world.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groups } from '../../fleet/groups/groups.contract.ts'
import { createRuntime } from '../../runtime.ts'
import { versions } from '../agent-versions/versions.contract.ts'
import { signerOf } from '../commands/delivery/order-signer.ts'
import { offerUpdates } from './offers.jobs.ts'
import { pins } from './pins.contract.ts'
import { rollouts, stop } from './rollouts.contract.ts'
import { rolloutsTurn } from './testing/rollouts-turn.ts'
import { updates } from './updates/updates.contract.ts'

const services = await testServices()
const { system, redis, log } = services
await rolloutsTurn()
const signer = signerOf(services)
const here = await world()
const elsewhere = await world()
const version = '600000.1.0'

// Registered from a release host, because publishing a store removes versions that it does not have.
beforeAll(() =>
  system.query(
    `INSERT INTO agent_versions (version, os, arch, source, url, sha256, size, candidate)
     VALUES ($1, 'linux', 'x64', 'upstream', 'http://127.0.0.1:1/x', $2, 7, false)`,
    [version, 'a'.repeat(64)],
  ),
)
const endAll = () => system.query(`UPDATE agent_rollouts SET state = 'cancelled' WHERE state <> 'completed'`)
afterAll(endAll)
const begin = async () => {
  await endAll()
  return call(here.systemAdmin, rollouts.create, { version })
}

describe('a rollout', () => {
  it('starts with its first stage, one rollout at a time, and is audited', async () => {
    const made = await begin()
    expect(made).toMatchObject({ version, state: 'running', stage: 1, stages: [1, 10, 50, 100], errorPercent: 2 })
    expect(await refusal(call(here.systemAdmin, rollouts.create, { version }))).toMatchObject({ status: 409 })
    expect((await auditOf(made.id)).map(({ action }) => action)).toEqual(['agent_rollout.create'])
    expect(await call(here.systemAdmin, rollouts.get, { id: made.id })).toMatchObject({
      devices: { offered: 0, succeeded: 0, failed: 0 },
    })
    const { data } = await call(here.systemAdmin, rollouts.list, { state: 'running' })
    expect(data.map(({ id }) => id)).toEqual([made.id])
  })

  it('starts once when two requests are concurrent', async () => {
    await endAll()
    const both = [1, 2].map(() => call(here.systemAdmin, rollouts.create, { version }))
    const told = await Promise.allSettled(both)
    expect(told.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('can be paused, resumed and canceled in the states that allow it', async () => {
    const { id } = await begin()
    const by = here.systemAdmin
    expect(await refusal(call(by, rollouts.resume, { id }))).toMatchObject({ status: 409 })
    expect((await call(by, rollouts.pause, { id })).state).toBe('paused')
    expect((await call(by, rollouts.resume, { id })).state).toBe('running')
    await system.query(`UPDATE agent_rollouts SET state = 'halted', reason = 'too many' WHERE id = $1`, [id])
    expect(await call(by, rollouts.resume, { id })).toMatchObject({ state: 'running', reason: null })
    expect((await call(by, rollouts.cancel, { id })).state).toBe('cancelled')
    for (const move of [rollouts.pause, rollouts.resume, rollouts.cancel])
      expect(await refusal(call(by, move, { id }))).toMatchObject({ status: 409, message: 'The rollout is cancelled' })
    const actions = (await auditOf(id)).map(({ action }) => action.replace('agent_rollout.', ''))
    expect(actions).toEqual(['create', 'pause', 'resume', 'resume', 'cancel'])
  })

  it.each([
    [[20, 100], 'must begin with at most 10 percent'],
    [[1, 10], 'must end with 100 percent'],
    [[10, 5, 100], 'must grow from stage to stage'],
  ])('cannot reach all devices at once: stages %j', async (stages, why) => {
    const told = await refusal(call(here.systemAdmin, rollouts.create, { version, stages }))
    expect(told).toMatchObject({ status: 400, message: expect.stringContaining(why) })
  })

  it('requires a system administrator and an existing version', async () => {
    expect(await refusal(call(here.partnerAdmin, rollouts.create, { version }))).toMatchObject({ status: 403 })
    expect(await refusal(call(here.systemAdmin, rollouts.create, { version: '9.9.9' }))).toMatchObject({ status: 404 })
  })
})

describe('U7: a stolen administrator account and online key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-stolen-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const unsigned = '600000.6.6'

  it('cannot roll out a version without the signatures of the offline keys', async () => {
    const store = new DiskStore(folder)
    const source = { source: 'local', upstreamUrl: null, upstreamToken: null, allowedNetworks: [] } as const
    const runtime = createRuntime({
      ...services,
      releases: store,
      settings: { ...services.settings, releases: source },
    })
    const [first, second, online] = [createReleaseKey(), createReleaseKey(), createReleaseKey()]
    const repository = new Repository(store)
    await repository.begin({ release: [first, second], threshold: 2, online })
    await repository.countersign(second)
    await repository.renew(online)
    await replaceWith(store, `targets/${unsigned}/linux-x64/muster-agent`, Buffer.from('evil'))
    const bringOut = async () => {
      const sync = call(here.systemAdmin, versions.syncUpstream, { version: unsigned }, { runtime })
      expect(await refusal(sync)).toMatchObject({ status: 404, message: 'Release not found' })
      expect(await refusal(call(here.systemAdmin, rollouts.create, { version: unsigned }))).toMatchObject({
        ...{ status: 404, message: 'Agent version not found' },
      })
    }
    await bringOut()
    await repository.add([{ version: unsigned, os: 'linux', arch: 'x64', bytes: Buffer.from('evil') }], [first])
    await expect(repository.renew(online)).rejects.toThrow()
    await bringOut()
  })

  it('cannot roll out a signed version to more than a tenth of the fleet at first', async () => {
    await endAll()
    for (const stages of [[100], [50, 100], [11, 100], [10, 5, 100], [1, 50]])
      expect(await refusal(call(here.systemAdmin, rollouts.create, { version, stages })), String(stages)).toMatchObject(
        {
          status: 400,
        },
      )
    const { id, stage } = await call(here.systemAdmin, rollouts.create, { version })
    expect(stage).toBe(1)
    // No request takes it on to the next ring: only devices that run the version do.
    expect(await refusal(call(here.systemAdmin, rollouts.resume, { id }))).toMatchObject({ status: 409 })
    await call(here.systemAdmin, rollouts.pause, { id })
    expect(await call(here.systemAdmin, rollouts.resume, { id })).toMatchObject({ stage: 1 })
    expect(await refusal(call(here.systemAdmin, rollouts.create, { version }))).toMatchObject({ status: 409 })
  })

  it('cannot shorten a stage', async () => {
    await endAll()
    for (const stageSeconds of [0, 1, 599])
      expect(await refusal(call(here.systemAdmin, rollouts.create, { version, stageSeconds }))).toMatchObject({
        ...{ status: 400, message: 'stageSeconds: must be at least 600' },
      })
    expect(await call(here.systemAdmin, rollouts.create, { version, stageSeconds: 600 })).toMatchObject({ stage: 1 })
  })

  it('cannot roll out with an old session, which can still stop a rollout', async () => {
    await endAll()
    const { systemAdmin } = await world()
    await system.query(`UPDATE sessions SET authenticated_at = now() - interval '2 hours' WHERE id = $1`, [
      systemAdmin.sessionId,
    ])
    const confirm = { status: 403, extra: { confirm: 'currentPassword' } }
    expect(await refusal(call(systemAdmin, rollouts.create, { version }))).toMatchObject(confirm)
    const { id } = await begin()
    await call(systemAdmin, stop.set, { reason: 'Stolen' })
    await call(systemAdmin, rollouts.pause, { id })
    expect(await refusal(call(systemAdmin, rollouts.resume, { id }))).toMatchObject(confirm)
    expect(await refusal(call(systemAdmin, stop.lift, {}))).toMatchObject(confirm)
    await call(here.systemAdmin, stop.lift, {})
  })

  it('are stopped by one request of a system administrator, and only by those', async () => {
    await begin()
    expect(await call(here.systemAdmin, stop.set, { reason: 'Stolen' })).toMatchObject({ stopped: true })
    expect(await offerUpdates({ pool: system, redis, log, signer, publicUrl: 'http://127.0.0.1:3000' })).toBe(0)
    for (const who of [here.partnerAdmin, here.orgAdmin]) {
      expect(await refusal(call(who, stop.lift, {}))).toMatchObject({ status: 403 })
      expect(await refusal(call(who, rollouts.create, { version }))).toMatchObject({ status: 403 })
    }
    await call(here.systemAdmin, stop.lift, {})
  })
})

describe('why a device is not updated', () => {
  const device = async () => {
    const [id = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id, siteId: here.site.id }, 'why')
    await setState(id, { status: 'online' })
    return id
  }
  const why = async (id: string) => (await call(here.orgAdmin, updates.get, { id })).hold

  it('names what holds it back', async () => {
    const id = await device()
    await endAll()
    expect(await why(id)).toBe('no_rollout')
    const rollout = await begin()
    expect(await why(id)).toMatch(/not_reached_yet|offered/)
    await system.query('UPDATE agent_rollouts SET stage = 4 WHERE id = $1', [rollout.id])
    expect(await why(id)).toBe('offered')
    await call(here.systemAdmin, stop.set, { reason: 'Bad build' })
    expect(await why(id)).toBe('stopped')
    expect(await offerUpdates({ pool: system, redis, log, signer, publicUrl: 'http://x' })).toBe(0)
    await call(here.systemAdmin, stop.lift, {})
    const pin = await call(here.orgAdmin, pins.set, { orgId: here.org.id, siteId: here.site.id })
    expect(await why(id)).toBe('pinned')
    await call(here.orgAdmin, pins.remove, { id: pin.id })
    await setState(id, { status: 'offline' })
    expect(await why(id)).toBe('offline')
    await call(here.systemAdmin, rollouts.pause, { id: rollout.id })
    expect(await why(id)).toBe('rollout_paused')
    await system.query('UPDATE devices SET auto_update = false WHERE id = $1', [id])
    expect(await why(id)).toBe('auto_update_off')
    await system.query(`UPDATE devices SET architecture = 'riscv' WHERE id = $1`, [id])
    expect(await why(id)).toBe('no_executable')
    await system.query('UPDATE devices SET agent_version = $2 WHERE id = $1', [id, version])
    expect(await why(id)).toBe('up_to_date')
  })

  it.each([
    ['windows', 'x64', 'windows', 'x64'],
    ['windows', 'arm64', 'windows', 'arm64'],
    ['macos', 'arm64', 'darwin', 'arm64'],
    ['macos', 'x86_64', 'darwin', 'x64'],
  ])('looks for the executable of its system and processor: %s, %s', async (osType, architecture, os, arch) => {
    const id = await device()
    await system.query('UPDATE devices SET os_type = $2, architecture = $3 WHERE id = $1', [id, osType, architecture])
    await begin()
    expect(await why(id)).toBe('no_executable')
    await system.query(
      `INSERT INTO agent_versions (version, os, arch, source, url, sha256, size, candidate)
       VALUES ($1, $2, $3, 'upstream', 'http://127.0.0.1:1/y', $4, 7, false)`,
      [version, os, arch, 'b'.repeat(64)],
    )
    expect(await why(id)).toMatch(/not_reached_yet|offered/)
    await system.query(`DELETE FROM agent_versions WHERE version = $1 AND os = $2`, [version, os])
  })

  it('U9: shows the report of the device, and lists stuck devices to callers who see them', async () => {
    const id = await device()
    await begin()
    await system.query(
      `INSERT INTO device_updates (device_id, org_id, partner_id, version, state, reason, error, barred)
       VALUES ($1, $2, $3, $4, 'rolled_back', 'no_heartbeat', 'silent for 60 s', $5)`,
      [id, here.org.id, here.partner.id, version, [version]],
    )
    expect(await call(here.orgAdmin, updates.get, { id })).toMatchObject({
      hold: 'rolled_back',
      why: 'The agent went back to the version before: silent for 60 s',
      reason: 'no_heartbeat',
      barred: [version],
      target: version,
    })
    const stuck = await call(here.orgAdmin, updates.stuck, {})
    expect(stuck.data.map(({ deviceId }) => deviceId)).toEqual([id])
    expect(stuck.pagination.total).toBe(1)
    expect((await call(elsewhere.orgAdmin, updates.stuck, {})).data).toEqual([])
    expect(await refusal(call(elsewhere.orgAdmin, updates.get, { id }))).toMatchObject({ status: 404 })
  })
})

describe('pins', () => {
  it('exist once per organization, site or group', async () => {
    const place = { orgId: here.org.id, siteId: here.site.id }
    const first = await call(here.partnerAdmin, pins.set, { ...place, version: '1.0.0', reason: 'Audit' })
    const second = await call(here.partnerAdmin, pins.set, { ...place, version: null })
    expect(second).toMatchObject({ id: first.id, version: null, reason: null })
    expect((await call(here.orgAdmin, pins.list, { orgId: here.org.id })).data.map(({ id }) => id)).toEqual([first.id])
    expect((await auditOf(first.id)).map(({ action }) => action)).toEqual([
      'agent_version_pin.set',
      'agent_version_pin.set',
    ])
  })

  it('cannot be set or read by other tenants, or outside the sites and groups of a limited member', async () => {
    const { id: groupId } = await call(here.orgAdmin, groups.create, { orgId: here.org.id, name: 'Pinned' })
    const { id } = await call(here.orgAdmin, pins.set, { orgId: here.org.id, groupId, version: '1.0.0' })
    expect(await refusal(call(elsewhere.orgAdmin, pins.set, { orgId: here.org.id }))).toMatchObject({ status: 404 })
    expect(await refusal(call(elsewhere.orgAdmin, pins.remove, { id }))).toMatchObject({ status: 404 })
    const tenant = { scope: 'organization', partnerId: here.partner.id, orgId: here.org.id } as const
    const limited = await person(tenant, { role: 'Org Technician', siteIds: [here.site.id] })
    expect(await refusal(call(limited, pins.set, { orgId: here.org.id }))).toMatchObject({ status: 403 })
    expect(await refusal(call(limited, pins.remove, { id }))).toMatchObject({ status: 404 })
    const both = { orgId: here.org.id, siteId: here.site.id, groupId }
    expect(await refusal(call(here.orgAdmin, pins.set, both))).toMatchObject({ status: 400 })
    const foreign = { orgId: here.org.id, siteId: elsewhere.site.id }
    expect(await refusal(call(here.orgAdmin, pins.set, foreign))).toMatchObject({
      status: 404,
      message: 'Site not found',
    })
  })
})
