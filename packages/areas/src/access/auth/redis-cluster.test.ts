import { randomUUID } from 'node:crypto'
import { connectRedis, type Redis, untilReady } from '@muster/backplane/redis.ts'
import { type OwnCluster, startOwnCluster } from '@muster/backplane/testing/redis-cluster.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPhoneCode, usePhoneCode } from './factors/phone-codes.ts'
import { Limits } from './limits.ts'

describe('sign-in state in a Redis Cluster', () => {
  let cluster: OwnCluster
  let redis: Redis
  beforeAll(async () => {
    cluster = await startOwnCluster()
    redis = connectRedis(cluster.address, 'test')
    await untilReady(redis, 10_000)
  })
  afterAll(async () => {
    redis?.disconnect()
    await cluster?.stop()
  })

  it('limits are counted, returned and extended on the server of their key', async () => {
    const limits = new Limits(redis)
    const allowance = { points: 2, seconds: 300, growing: true }
    for (let n = 0; n < 20; n++) {
      const key = randomUUID()
      await limits.takeFrom('test', key, allowance)
      await limits.takeFrom('test', key, allowance)
      await expect(limits.takeFrom('test', key, allowance)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
      await limits.take('loginPerEmail', key)
      await limits.giveBack('loginPerEmail', key)
      await limits.reset('loginPerEmail', key)
      expect(await limits.isExhausted('loginPerEmail', key)).toBe(false)
    }
  })

  it('SMS codes work once, and stop working after too many wrong ones', async () => {
    const keyring = createKeyring()
    for (let n = 0; n < 10; n++) {
      const about = `test:${randomUUID()}`
      const code = await newPhoneCode(redis, keyring, about, '+15550100')
      expect(await usePhoneCode(redis, keyring, about, code)).toBe('+15550100')
      expect(await usePhoneCode(redis, keyring, about, code)).toBeNull()
    }
  })
})
