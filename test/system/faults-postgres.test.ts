// PostgreSQL fails under load. What was acknowledged is stored once, agents keep their sockets, and people are told to try
// again instead of being shown an error of ours.
import { withLogin } from '@muster/db/roles.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, Fleet } from './fleet.ts'
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
  /** Asks all the while, as people do. @returns every answer that is neither good nor one to try again on */
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
  /** Through a fault and out again: nobody loses a socket, nothing is lost or doubled, nobody is shown an error. */
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
  /** Resolves when the server has gone through a recovery since. */
  const recovered = (before: Date) =>
    eventually(async () => {
      const { rows } = await owner((client) =>
        client.query<{ since: string }>(
          `SELECT backend_start::text AS since FROM pg_stat_activity WHERE backend_type = 'checkpointer'`,
        ),
      ).catch(() => ({ rows: [] }))
      return rows[0] !== undefined && new Date(rows[0].since) > before
    }, 60_000)

  it('F6: ends every connection, they are made anew', async () => {
    await through(() =>
      owner((client) =>
        client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('muster_app', 'muster_system')`,
        ),
      ),
    )
  })

  it('F6: loses a backend to a kill -9 and with it all of them', async () => {
    await through(async () => {
      const before = new Date()
      const [pid] = await backendsOf('worker-writer')
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      await recovered(before)
    })
  })

  it.skipIf(!canInject)(
    'F5: cannot bring a commit to the disk, it recovers what is there and nothing is lost',
    async () => {
      await through(async () => {
        const before = new Date()
        await inject(await backendsOf('worker-writer%'), 'fdatasync:error=EIO')
        await recovered(before)
      })
    },
  )

  it('F6: is stopped at once and started again', async () => {
    await through(async () => {
      const before = new Date()
      const { rows } = await owner((client) =>
        client.query<{ pid: number }>(`SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int AS pid`),
      )
      process.kill(rows[0]?.pid ?? 0, 'SIGQUIT')
      await recovered(before)
    })
  })

  it('F7: holds a long lock on the devices, people sign in and heartbeats are taken; who waits for it is told so', async () => {
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

  it('F7: lets nobody else in because somebody took all connections, people sign in and heartbeats are taken', async () => {
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
