import { connectRedis, untilReady } from '@muster/backplane/redis.ts'
import { verifySchema } from '@muster/db/migrate.ts'
import { expect, it } from 'vitest'
import { ownDatabase, ownRedisDatabase } from './stores.ts'

it('gives a test a migrated database that no other test has', async () => {
  const [one, other] = [await ownDatabase(), await ownDatabase()]
  expect(one.ownerUrl).not.toBe(other.ownerUrl)
  for (const database of [one, other]) {
    await verifySchema(database.systemUrl)
    await database.drop()
  }
})

it('gives each test file its own empty Redis database', async () => {
  const first = await ownRedisDatabase()
  const redis = connectRedis(first.url, 'test')
  await untilReady(redis, 10_000)
  await redis.set('left', 'behind')
  const others = await Promise.all([ownRedisDatabase(), ownRedisDatabase()])
  expect(new Set([first, ...others].map(({ url }) => url)).size).toBe(3)
  expect(await redis.get('left')).toBe('behind')
  redis.disconnect()
  await first.release()
  const again = await ownRedisDatabase()
  const reader = connectRedis(again.url, 'test')
  await untilReady(reader, 10_000)
  expect(await reader.dbsize()).toBe(0)
  reader.disconnect()
  for (const each of [again, ...others]) await each.release()
})
