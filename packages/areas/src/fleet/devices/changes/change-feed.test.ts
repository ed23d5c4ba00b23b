import { createPool } from '@muster/db/pool.ts'
import { ownDatabase } from '@muster/testkit/stores.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { storeSealingKeys } from '../state/sealing-keys.ts'
import { ChangeFeed } from './change-feed.jobs.ts'
import type { ChangeFollower, DeviceChange } from './change-follower.ts'
import { type FollowedFilter, followFilters } from './followed-filters.ts'

// Feeds of other tests would take the changes.
const database = await ownDatabase()
const pool = createPool({ url: database.systemUrl, name: 'changes', max: 4 })
afterAll(async () => {
  await pool.end()
  await database.drop()
})
const parts = await testWorkerParts(pool)
const idFrom = async (text: string, ...values: unknown[]) =>
  (await pool.query<{ id: string }>(`${text} RETURNING id`, values)).rows[0]?.id ?? ''
const partnerId = await idFrom(`INSERT INTO partners (name, slug, status) VALUES ('Feed', 'feed', 'active')`)
const orgOf = (slug: string) =>
  idFrom(`INSERT INTO organizations (partner_id, name, slug) VALUES ($1, 'Feed', $2)`, partnerId, slug)
const [orgId, otherOrgId] = [await orgOf('feed'), await orgOf('other')]
const device = (hostname: string) =>
  idFrom(`INSERT INTO devices (partner_id, org_id, hostname) VALUES ($1, $2, $3)`, partnerId, orgId, hostname)
const [deviceId, other] = [await device('changing'), await device('steady')]
const change = (fields: readonly string[], of = deviceId): DeviceChange => ({
  ...{ deviceId: of, orgId, partnerId },
  fields: new Set(fields),
})

/** Followers that note what they are handed; the first of them fails at first. */
function watching(failures: number) {
  const taken: string[] = []
  let left = failures
  const follower = (name: string, fails: boolean): ChangeFollower => ({
    name,
    follow: async (_, changes) => {
      for (const each of changes)
        taken.push(
          `${name}: ${each.deviceId === deviceId ? 'changing' : 'steady'} ${[...each.fields].sort().join(' ')}`,
        )
      if (fails && left-- > 0) throw new Error('away')
    },
  })
  const changeFollowers = [follower('first', true), follower('second', false)]
  return { feed: new ChangeFeed({ ...parts, changeFollowers }), taken }
}

describe('a change of a device', () => {
  it('is handed to each follower once, with its fields', async () => {
    const { feed, taken } = watching(0)
    await feed.turn(0)
    expect(taken.toSorted()).toEqual([
      'first: changing place',
      'first: steady place',
      'second: changing place',
      'second: steady place',
    ])
    taken.length = 0
    await pool.query(`UPDATE devices SET tags = '{seen}' WHERE id = $1`, [deviceId])
    await pool.query(`UPDATE devices SET os_version = '12' WHERE id = $1`, [deviceId])
    await feed.turn(0)
    const fields = 'changing osVersion tags updatedAt'
    expect(taken).toEqual([`first: ${fields}`, `second: ${fields}`])
    await feed.turn(0)
    expect(taken).toHaveLength(2)
  })

  it('is handed over again while a follower fails', async () => {
    const { feed, taken } = watching(1)
    await pool.query(`UPDATE devices SET hostname = 'renamed' WHERE id = $1`, [other])
    await expect(feed.turn(0)).rejects.toThrow('away')
    await feed.turn(0)
    const fields = 'steady hostname updatedAt'
    expect(taken).toEqual([`first: ${fields}`, `second: ${fields}`, `first: ${fields}`, `second: ${fields}`])
  })

  it('is none when an agent starts with another key for secrets, nor when nothing is another', async () => {
    const { feed, taken } = watching(0)
    const read = async () => (await pool.query('SELECT updated_at FROM devices WHERE id = $1', [deviceId])).rows
    const before = await read()
    await storeSealingKeys(pool, [{ deviceId, sealingKey: 'another' }])
    expect(await read()).toEqual(before)
    await feed.turn(0)
    expect(taken).toEqual([])
  })

  it('of its inventory names the sections that are others', async () => {
    const { feed, taken } = watching(0)
    await pool.query(
      `INSERT INTO device_inventory (device_id, org_id, partner_id, hash, collected_at) VALUES ($1, $2, $3, 'a', now())`,
      [deviceId, orgId, partnerId],
    )
    await feed.turn(0)
    taken.length = 0
    await pool.query(`UPDATE device_inventory SET hash = 'b', disks = '[{}]' WHERE device_id = $1`, [deviceId])
    await feed.turn(0)
    expect(taken).toEqual(['first: changing disks', 'second: changing disks'])
  })
})

describe('a followed filter', () => {
  const evaluatedFor = async (fieldsUsed: string[], ...changes: DeviceChange[]) => {
    const found: string[] = []
    const filter = (id: string, of: string): FollowedFilter => ({
      ...{ id, partnerId, orgId: of, fieldsUsed },
      evaluate: async (_, ids) => void found.push(...(ids ?? [])),
    })
    await followFilters(parts, [filter('one', orgId), filter('two', otherOrgId)], changes)
    return found.sort()
  }

  it('is evaluated only for devices of its owner whose fields changed', async () => {
    const both = [deviceId, other].sort()
    expect(await evaluatedFor(['tags'], change(['tags']), change(['hostname'], other))).toEqual([deviceId])
    expect(await evaluatedFor(['hostname'], change(['state']), change(['place'], other))).toEqual([other])
    expect(await evaluatedFor(['diskPercent', 'custom.rack'], change(['state']), change(['custom'], other))).toEqual(
      both,
    )
    expect(
      await evaluatedFor(['software.name', 'softwareCount'], change(['software']), change(['disks'], other)),
    ).toEqual([deviceId])
    expect(await evaluatedFor(['graphics.model'], change(['hardware']), change(['users'], other))).toEqual([deviceId])
    expect(await evaluatedFor(['groupId'], change(['tags']), change(['state'], other))).toEqual([deviceId])
  })

  it('that fails leaves the others to be evaluated', async () => {
    const found: string[] = []
    const filter = (id: string, fails: boolean): FollowedFilter => ({
      ...{ id, partnerId, orgId, fieldsUsed: ['tags'] },
      evaluate: async () => {
        if (fails) throw new Error('wrong')
        found.push(id)
      },
    })
    await followFilters(parts, [filter('broken', true), filter('sound', false)], [change(['tags'])])
    expect(found).toContain('sound')
  })
})
