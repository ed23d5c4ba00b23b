// PostgreSQL fails under load. What was acknowledged is stored once, agents stay connected, and users get a response that
// asks them to retry instead of an internal error.
import { withLogin } from '@muster/db/roles.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'
import { Recorder } from './recorder.ts'
import { canInject, inject } from './strace.ts'

const agents = 40

describe('while PostgreSQL', () => {
  let fleet: Fleet
  let recorder: Recorder
  beforeAll(async () => {
    fleet = await Fleet.start({ durable: true })
    const { org, partner } = await fleet.tenant()
    recorder = await Recorder.start(fleet.stack, agents, { orgId: org.id, partnerId: partner.id })
    await eventually(async () => recorder.live === agents, 60_000)
  })
  afterAll(async () => {
    recorder?.end()
    await fleet?.stop()
  })

  const owner = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: fleet.stack.urls.owner })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  const acknowledgedMore = (by = agents * 2) => {
    const from = recorder.acknowledged
    return eventually(async () => recorder.acknowledged >= from + by, 60_000)
  }
  /** Sends requests continuously. @returns every response that is neither a success nor a request to retry */
  const asking = () => {
    const odd: object[] = []
    let isOver = false
    const loop = (async () => {
      while (!isOver) {
        const answer = await fetch(`${fleet.stack.urls.admin}/api/v1/devices?limit=1`, {
          headers: fleet.headers,
        }).catch((error: Error) => error)
        if (answer instanceof Error) odd.push(answer)
        else if (answer.status !== 200 && !(answer.status === 503 && answer.headers.has('retry-after')))
          odd.push({ status: answer.status, body: await answer.text() })
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })()
    return async () => {
      isOver = true
      await loop
      return odd
    }
  }
  /** Runs a fault and its recovery: no agent loses its socket, nothing is lost or duplicated, no request fails. */
  const through = async (fault: () => Promise<unknown>) => {
    recorder.beat(5)
    await acknowledgedMore()
    const { closes } = recorder
    const pids = [...fleet.stack.ingest, ...fleet.stack.workers, fleet.stack.admin].map((one) => one?.pid)
    const stop = asking()
    await fault()
    await acknowledgedMore()
    await eventually(async () => (await fleet.rest('GET', '/devices?limit=1')).status === 200, 60_000)
    expect(await stop()).toEqual([])
    expect(await recorder.settled()).toEqual({ lost: [], twice: [] })
    expect(recorder.closes).toBe(closes)
    expect([...fleet.stack.ingest, ...fleet.stack.workers, fleet.stack.admin].map((one) => one?.pid)).toEqual(pids)
  }
  const backendsOf = async (names: string) => {
    const { rows } = await owner((client) =>
      client.query<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE application_name LIKE $1`, [names]),
    )
    return rows.map(({ pid }) => pid)
  }
  /** Resolves when the server has completed a recovery since. */
  const recovered = (before: Date) =>
    eventually(async () => {
      const { rows } = await owner((client) =>
        client.query<{ since: string }>(
          `SELECT backend_start::text AS since FROM pg_stat_activity WHERE backend_type = 'checkpointer'`,
        ),
      ).catch(() => ({ rows: [] }))
      return rows[0] !== undefined && new Date(rows[0].since) > before
    }, 60_000)

  it('F6: ends every connection, reconnects', async () => {
    await through(() =>
      owner((client) =>
        client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('muster_app', 'muster_system')`,
        ),
      ),
    )
  })

  it('F6: loses all backends to a kill -9 of one, recovers', async () => {
    await through(async () => {
      const before = new Date()
      const [pid] = await backendsOf('worker-writer')
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      await recovered(before)
    })
  })

  it.skipIf(!canInject)('F5: cannot write a commit to disk, recovers and loses nothing', async () => {
    await through(async () => {
      const before = new Date()
      await inject(await backendsOf('worker-writer%'), 'fdatasync:error=EIO')
      await recovered(before)
    })
  })

  it('F6: is stopped immediately and restarted, recovers', async () => {
    await through(async () => {
      const before = new Date()
      const { rows } = await owner((client) =>
        client.query<{ pid: number }>(`SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int AS pid`),
      )
      process.kill(rows[0]?.pid ?? 0, 'SIGQUIT')
      await recovered(before)
    })
  })

  it('F7: holds a long lock on the devices, accepts sign-ins and heartbeats and asks blocked requests to retry', async () => {
    await fleet.renew()
    const holder = new pg.Client({ connectionString: fleet.stack.urls.owner })
    await holder.connect()
    await holder.query('BEGIN')
    await holder.query('LOCK TABLE devices, device_state IN ACCESS EXCLUSIVE MODE')
    await through(async () => {
      await fleet.signIn()
      await acknowledgedMore()
      const { status, body } = await fleet.rest('GET', '/devices?limit=1')
      expect([status, body.code]).toEqual([503, 'UNAVAILABLE'])
      await fleet.signIn()
      await holder.query('COMMIT')
      await holder.end()
    })
  })

  it('F7: has no free connections, still accepts sign-ins and heartbeats', async () => {
    const hogs: pg.Client[] = []
    await owner((client) => client.query(`CREATE ROLE bystander LOGIN PASSWORD 'bystander'`))
    const url = withLogin(fleet.stack.urls.owner, 'bystander', 'bystander')
    await through(async () => {
      await fleet.signIn()
      for (let isFull = false; !isFull; ) {
        const hog = new pg.Client({ connectionString: url })
        hog.on('error', () => undefined)
        isFull = await hog.connect().then(
          () => false,
          () => true,
        )
        if (!isFull) hogs.push(hog)
      }
      await fleet.signIn()
      await acknowledgedMore()
      await fleet.signIn()
      await Promise.all(hogs.map((hog) => hog.end()))
    })
    expect(hogs.length).toBeGreaterThan(0)
  })
})
