// Redis fails in every way without dying, and in some ways dies. Nothing that was acknowledged is lost, no agent is
// disconnected, and everything recovers without intervention.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connectRedis } from '@muster/backplane/redis.ts'
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMount, SmallDisk } from '../../packages/testkit/src/small-disk.ts'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'
import { Recorder } from './recorder.ts'
import { canInject, inject } from './strace.ts'

const agents = 40

describe('while Redis', () => {
  const disk = canMount ? SmallDisk.mount(64) : undefined
  let redis: OwnRedis
  let control: ReturnType<typeof connectRedis>
  let fleet: Fleet
  let recorder: Recorder
  beforeAll(async () => {
    redis = await startOwnRedis({ durable: true, ...(disk && { within: disk.path }) })
    control = connectRedis(redis.url, 'control')
    fleet = await Fleet.start({ redisUrl: redis.url })
    const { org, partner } = await fleet.tenant()
    recorder = await Recorder.start(fleet.stack, agents, { orgId: org.id, partnerId: partner.id })
    await eventually(async () => recorder.live === agents, 60_000)
  })
  afterAll(async () => {
    recorder?.end()
    control?.disconnect()
    await fleet?.stop()
    await redis?.stop()
    disk?.unmount()
  })

  const acknowledgedMore = (by = agents * 2) => {
    const from = recorder.acknowledged
    return eventually(async () => recorder.acknowledged >= from + by, 60_000)
  }
  /** Causes a failure, waits until it is noticed, and ends it. No agent may lose its connection. */
  const through = async (fail: () => unknown, noticed: () => Promise<unknown>, mend: () => unknown) => {
    recorder.beat(5)
    await acknowledgedMore()
    const { closes } = recorder
    const pids = processes()
    await fail()
    await noticed()
    await mend()
    await acknowledgedMore()
    expect(await recorder.settled()).toEqual({ lost: [], twice: [] })
    expect(recorder.closes).toBe(closes)
    expect(processes()).toEqual(pids)
  }
  const processes = () => [...fleet.stack.ingest, ...fleet.stack.workers, fleet.stack.admin].map((one) => one?.pid)
  const nothingAcknowledged = async () => {
    let before = -1
    await eventually(async () => {
      const isStill = recorder.acknowledged === before
      before = recorder.acknowledged
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return isStill
    }, 60_000)
  }
  const answers = async () => (await fleet.rest('GET', '/devices?limit=1')).status

  it('F4: does not answer, buffers frames, keeps reads working and recovers', async () => {
    await through(
      () => process.kill(redis.pid, 'SIGSTOP'),
      async () => {
        await nothingAcknowledged()
        // Longer than a node's lease, and than any command waits for its answer.
        await new Promise((resolve) => setTimeout(resolve, 6_000))
      },
      () => process.kill(redis.pid, 'SIGCONT'),
    )
    await eventually(async () => (await answers()) === 200)
  })

  it('F4: is out of memory without eviction, buffers frames and loses none', async () => {
    await through(
      () => control.config('SET', 'maxmemory', '1'),
      nothingAcknowledged,
      () => control.config('SET', 'maxmemory', '0'),
    )
  })

  it('F4: has lost its data, creates streams and groups again and finds devices again', async () => {
    // Frames that are acknowledged and not stored yet are only in Redis: none may be in flight for nothing to be lost.
    expect(await recorder.settled()).toEqual({ lost: [], twice: [] })
    await control.flushall()
    recorder.beat(5)
    await acknowledgedMore(agents * 5)
    expect(await recorder.settled()).toEqual({ lost: [], twice: [] })
    await eventually(async () => (await recorder.online()) === agents, 60_000)
  })

  it.skipIf(disk === undefined)(
    'F4: has a full disk and refuses writes, buffers frames and recovers when there is space',
    async () => {
      const filler = join(disk?.path ?? '', 'filler')
      // Only without synchronous writes does Redis refuse writes and recover without a restart.
      await control.config('SET', 'appendfsync', 'everysec')
      await through(
        () => disk?.fill(filler),
        async () => {
          await nothingAcknowledged()
          expect(await control.set('probe', '1').catch(String)).toContain('MISCONF')
        },
        () => rmSync(filler),
      )
      await control.config('SET', 'appendfsync', 'always')
    },
  )

  const aof = () => {
    const folder = join(redis.folder, 'appendonlydir')
    return join(folder, readdirSync(folder).find((name) => name.endsWith('.incr.aof')) ?? '')
  }
  it.skipIf(!canInject)('F5: cannot write an append to disk, acknowledges nothing of it and restarts', async () => {
    await through(
      () => inject([redis.pid], 'fdatasync:error=EIO'),
      () => redis.died,
      () => redis.restart(),
    )
  })

  it.skipIf(!canInject)(
    'F4: has a full disk with synchronous writes, acknowledges only what is on disk and restarts',
    async () => {
      await through(
        () => inject([redis.pid], 'write:error=ENOSPC', aof()),
        () => redis.died,
        () => redis.restart(),
      )
    },
  )
})
