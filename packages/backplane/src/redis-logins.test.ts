import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { testRedis, testRedisOf } from '@muster/testkit/stores.ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { downStream, generationsChannel, generationsKey, shardStream } from './keys.ts'
import { connectRedis, type Redis, untilReady } from './redis.ts'
import { writeRedisLogins } from './redis-login-files.ts'
import { type RedisProcess, redisAccessFile, redisPasswordHash, redisProcesses } from './redis-logins.ts'
import { freePort } from './testing/redis-server.ts'

const logins = new Map<RedisProcess, Redis>()
const as = (process: RedisProcess): Redis => {
  const client = logins.get(process)
  if (client === undefined) throw new Error('not connected')
  return client
}

beforeAll(async () => {
  for (const process of ['admin', 'worker', 'ingest'] as const) {
    const client = connectRedis(testRedisOf(process), `login-${process}`)
    logins.set(process, client)
    await untilReady(client, 10_000)
  }
})
afterAll(() => {
  for (const client of logins.values()) client.disconnect()
})

const refused = /NOPERM|user executing the script can't/

describe('a compromised ingest in Redis', () => {
  it.each([
    ['read the state of sign-ins', () => as('ingest').get('mfa:challenge:x')],
    ['reset a rate limit', () => as('ingest').del('limit:login:x')],
    ['restore a revoked certificate', () => as('ingest').hset(generationsKey, 'device', 1)],
    ['announce a generation', () => as('ingest').publish(generationsChannel, 'x')],
    ['lift an emergency stop', () => as('ingest').set('command-stops', 'x')],
    ['publish false live events', () => as('ingest').publish('live:partner', 'x')],
    ['clear the caller cache of admin', () => as('ingest').publish('authority', '')],
    ['read the frames of other nodes', () => as('ingest').xrange(shardStream(0), '-', '+')],
    ['remove acknowledged frames', () => as('ingest').del(shardStream(0))],
    ['list all keys', () => as('ingest').keys('*')],
    ['empty the database', () => as('ingest').flushdb()],
    ['change the configuration', () => as('ingest').config('SET', 'appendfsync', 'no')],
    ['watch every command', () => as('ingest').call('MONITOR')],
    ['replicate the data to its own server', () => as('ingest').replicaof('127.0.0.1', 1)],
    ['give itself a login', () => as('ingest').acl('SETUSER', 'x', 'on')],
    ['write other keys from a script', () => as('ingest').eval(`redis.call('SET', 'mfa:x', '1')`, 0)],
  ])('cannot %s', async (_what, attempt) => {
    await expect(attempt()).rejects.toThrow(refused)
  })
})

describe('the other logins', () => {
  it.each([
    ['admin cannot read frames', () => as('admin').xrange(shardStream(0), '-', '+')],
    ['admin cannot send a reply in the name of a device', () => as('admin').publish('reply:process', 'x')],
    ['a worker cannot read the state of sign-ins', () => as('worker').get('mfa:challenge:x')],
    ['a worker cannot read the orders of nodes', () => as('worker').xrange(downStream('node'), '-', '+')],
    ['a worker cannot change the configuration', () => as('worker').config('SET', 'appendfsync', 'no')],
  ])('%s', async (_what, attempt) => {
    await expect(attempt()).rejects.toThrow(refused)
  })

  it('are stored as hashes, and a connection without a login is refused', async () => {
    const passwords = { admin: 'a'.repeat(32), worker: 'w'.repeat(32), ingest: 'i'.repeat(32) }
    const file = redisAccessFile({
      admin: redisPasswordHash(passwords.admin),
      worker: redisPasswordHash(passwords.worker),
      ingest: redisPasswordHash(passwords.ingest),
    })
    for (const password of Object.values(passwords)) expect(file).not.toContain(password)
    expect(file).toMatch(/^user default reset off$/m)
    const url = new URL(testRedis())
    url.username = ''
    url.password = ''
    const stranger = connectRedis(url.href, 'stranger')
    const [error]: unknown[] = await once(stranger, 'error')
    expect(String(error)).toMatch(/NOAUTH/)
    stranger.disconnect()
  })
})

describe('npm run keys -- redis', () => {
  it('writes logins that Redis accepts, and keeps their passwords when it updates the rights', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-logins-'))
    const port = await freePort()
    onTestFinished(() => rm(folder, { recursive: true }))
    writeRedisLogins([folder, `127.0.0.1:${port}`])
    const server = spawn('redis-server', ['--port', `${port}`, '--save', '', '--aclfile', join(folder, 'redis.acl')])
    onTestFinished(() => void server.kill())
    for await (const line of createInterface(server.stdout)) if (/Ready to accept/.test(line)) break
    for (const process of redisProcesses) {
      const file = join(folder, `redis-${process}.env`)
      const [, url = ''] = (await readFile(file, 'utf8')).trim().split('REDIS_URL=')
      const client = connectRedis(url, 'try')
      await untilReady(client, 5_000)
      expect(await client.ping()).toBe('PONG')
      client.disconnect()
      expect((await stat(file)).mode & 0o077).toBe(0)
    }
    const file = join(folder, 'redis.acl')
    const before = await readFile(file, 'utf8')
    await writeFile(file, before.replaceAll('+ping', ''))
    writeRedisLogins([folder])
    expect(await readFile(file, 'utf8')).toBe(before)
    expect(() => writeRedisLogins([])).toThrow(/npm run keys/)
  })
})
