// Random faults, one after the other, for the given time. At the end everything that was acknowledged must be stored
// exactly once.
import { connectRedis } from '@muster/backplane/redis.ts'
import { startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import pg from 'pg'
import { expect, it } from 'vitest'
import { eventually } from '../system/eventually.ts'
import { Fleet } from '../system/fleet.ts'
import { Recorder } from '../system/recorder.ts'
import { say, scale } from './scale.ts'

const { agents, minutes } = scale(100, 45)

it(`stores every acknowledged heartbeat once after ${minutes} minutes of faults`, async () => {
  const redis = await startOwnRedis({ durable: true })
  const fleet = await Fleet.start({ durable: true, redisUrl: redis.url, ingest: 2, workers: 2 })
  const control = connectRedis(redis.url, 'faults')
  const owner = async (sql: string) => {
    const client = new pg.Client({ connectionString: fleet.stack.urls.owner })
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query(sql)
    await client.end().catch(() => undefined)
    return rows
  }
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const one = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)]
  const faults: Record<string, () => Promise<unknown>> = {
    'an ingest process is killed': async () => one(fleet.stack.ingest)?.kill('SIGKILL'),
    'a worker is killed': async () => one(fleet.stack.workers)?.kill('SIGKILL'),
    'an ingest process is stopped gracefully': async () => one(fleet.stack.ingest)?.kill('SIGTERM'),
    'Redis is killed': async () => {
      await redis.kill()
      await pause(2_000)
      await redis.restart()
    },
    'Redis does not answer': async () => {
      process.kill(redis.pid, 'SIGSTOP')
      await pause(10_000)
      process.kill(redis.pid, 'SIGCONT')
    },
    'Redis is out of memory': async () => {
      await control.config('SET', 'maxmemory', '1')
      await pause(5_000)
      await control.config('SET', 'maxmemory', '0')
    },
    'every connection to PostgreSQL ends': () =>
      owner(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'muster\\_%'`),
    'a backend of PostgreSQL is killed': async () => {
      const [row] = await owner(`SELECT pid FROM pg_stat_activity WHERE application_name = 'worker-writer' LIMIT 1`)
      if (row !== undefined) process.kill(row.pid, 'SIGKILL')
    },
  }
  try {
    const { org, partner } = await fleet.tenant()
    const recorder = await Recorder.start(fleet.stack, agents, { orgId: org.id, partnerId: partner.id })
    await eventually(async () => recorder.live === agents, 120_000)
    const until = Date.now() + minutes * 60_000
    let count = 0
    while (Date.now() < until) {
      recorder.beat(3)
      const name = one(Object.keys(faults)) ?? ''
      say(`${++count}: ${name}`)
      await faults[name]?.()
      await pause(Math.random() * 15_000)
      if (count % 5 === 0) {
        expect(await recorder.settled(300_000)).toEqual({ lost: [], twice: [] })
        say(`${recorder.acknowledged} acknowledged, all stored once`)
      }
    }
    expect(await recorder.settled(300_000)).toEqual({ lost: [], twice: [] })
    await eventually(async () => (await recorder.online()) === agents, 300_000)
    say(`${count} faults, ${recorder.acknowledged} heartbeats acknowledged: 0 lost, 0 duplicated`)
    recorder.end()
  } finally {
    control.disconnect()
    await fleet.stop()
    await redis.stop()
  }
})
