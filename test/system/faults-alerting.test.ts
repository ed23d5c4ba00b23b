// F3, F6: stores fail and Muster restarts while rules are evaluated. What changed meanwhile is noticed once, no message repeats with
// another key, and silence that Muster caused itself raises nothing.
import { type OwnRedis, startOwnRedis } from '@muster/backplane/testing/redis-server.ts'
import { type Receiver, receiver } from '@muster/testkit/receiver.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './eventually.ts'
import { Fleet } from './fleet.ts'
import { Recorder } from './recorder.ts'

const agents = 20
const idle = 5
const busy = 95

// Each test goes on from the one before, so that none can be repeated.
describe('alerts', { retry: 0 }, () => {
  let redis: OwnRedis
  let fleet: Fleet
  let recorder: Recorder
  let owner: pg.Pool
  let peer: Receiver
  const rules = { busy: '', offline: '' }
  beforeAll(async () => {
    peer = await receiver()
    redis = await startOwnRedis({ durable: true })
    const outgoing = { OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' }
    // Durable, because a database that is killed forgets its last commits otherwise.
    fleet = await Fleet.start({ durable: true, redisUrl: redis.url, settings: { admin: outgoing, worker: outgoing } })
    owner = new pg.Pool({ connectionString: fleet.stack.urls.owner, max: 2 })
    owner.on('error', () => undefined)
    const { org, partner } = await fleet.tenant()
    const place = { orgId: org.id, name: 'Fault' }
    const channel = await fleet.must('POST', '/alerts/channels', {
      ...place,
      type: 'webhook',
      config: { url: peer.url },
    })
    await fleet.must('POST', '/alerts/policies', {
      ...place,
      groupWaitSeconds: 1,
      groupIntervalSeconds: 5,
      steps: [{ afterMinutes: 0, channelIds: [channel.id] }],
    })
    const conditions = { kind: 'metric', metric: 'cpuPercent', operator: 'gt', threshold: 90 }
    const rule = async (given: object) =>
      (await fleet.must('POST', '/alerts/rules', { ...place, severity: 'high', conditions: given })).id
    rules.busy = await rule(conditions)
    rules.offline = await rule({ kind: 'offline', seconds: 60 })
    recorder = await Recorder.start(fleet.stack, agents, { orgId: org.id, partnerId: partner.id })
    await eventually(async () => (await recorder.online()) === agents, 60_000)
    recorder.cpuPercent = idle
    recorder.beat(2)
  })
  afterAll(async () => {
    recorder?.end()
    await owner?.end()
    await fleet?.stop()
    await redis?.stop()
  })

  const query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await owner.query<Row>(text, values)).rows
  const alertsOf = (ruleId: string) =>
    query<{ status: string; occurrences: number; times: number }>(
      `SELECT status, occurrences, (SELECT count(*)::int FROM alert_timeline t WHERE t.alert_id = a.id
         AND t.kind IN ('opened', 'reopened', 'repeated', 'resolved')) AS times FROM alerts a WHERE rule_id = $1`,
      [ruleId],
    )
  /** This many devices have an alert with this status, each one, which changed this often. */
  async function expectAlerts(count: number, status: string, occurrences: number, times: number): Promise<void> {
    const found = await eventually(async () => {
      const own = (await alertsOf(rules.busy)).filter((each) => each.status === status)
      return own.length === count && own
    }, 60_000)
    expect(found).toEqual(Array(count).fill({ status, occurrences, times }))
    expect(await alertsOf(rules.busy)).toHaveLength(agents)
  }
  /** Nothing is due any more. @returns the kinds of the messages that arrived, each key once */
  async function messages(): Promise<string[]> {
    await eventually(async () => {
      const [open] = await query<{ count: number }>(`SELECT
        (SELECT count(*) FROM alert_groups WHERE closed_at IS NULL AND due_at < now() + interval '1 minute')::int
        + (SELECT count(*) FROM event_cursors c WHERE EXISTS (SELECT FROM events e WHERE (e.tx, e.seq) > (c.tx, c.seq)))::int
        + (SELECT count(*) FROM deliveries WHERE ended_at IS NULL)::int AS count`)
      return open?.count === 0
    }, 90_000)
    const bodies = new Map(peer.received.map(({ headers, body }) => [String(headers['webhook-id']), body]))
    return [...bodies.values()].map((body) => JSON.parse(body).kind)
  }
  /** Rules on silence were looked at some times since. */
  async function looked(): Promise<void> {
    for (let looks = 0; looks < 3; looks++) {
      const since = new Date()
      await eventually(
        async () => (await query('SELECT FROM alert_listening WHERE listened_at > $1', [since])).length === 1,
        60_000,
      )
    }
  }
  /** Muster was deaf for ten minutes. The note that it listens comes last, because a worker may write it meanwhile. */
  const longAway = async () => {
    const earlier = (column: string) => `${column} = ${column} - interval '10 minutes'`
    await query(`UPDATE device_state SET ${['status_at', 'last_seen_at'].map(earlier).join()}`)
    await query(`UPDATE alert_outages SET ${['began_at', 'ended_at'].map(earlier).join()}`)
    await query(`UPDATE alert_listening SET ${earlier('listened_at')}`)
  }

  it('open once for each device, with one message', async () => {
    recorder.cpuPercent = busy
    await expectAlerts(agents, 'active', 1, 1)
    expect(new Set(await messages())).toEqual(new Set(['alert']))
  })

  it('are resolved once when their conditions end while PostgreSQL is away', async () => {
    const before = await messages()
    const [{ pid } = { pid: 0 }] = await query<{ pid: number }>(
      `SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int AS pid`,
    )
    process.kill(pid, 'SIGQUIT')
    recorder.cpuPercent = idle
    const sent = recorder.acknowledged
    await eventually(async () => recorder.acknowledged > sent + agents, 60_000)
    await eventually(() => query('SELECT 1').catch(() => undefined), 60_000)
    await expectAlerts(agents, 'resolved', 1, 2)
    expect(await messages()).toEqual([...before, 'resolved'])
  })

  it('open again once, and none is about silence, when Redis was away for long', async () => {
    const before = await messages()
    await redis.kill()
    recorder.cpuPercent = busy
    const [gone] = recorder.agents
    gone?.end()
    await longAway()
    await redis.restart()
    await expectAlerts(agents - 1, 'active', 2, 3)
    await eventually(async () => (await recorder.online()) === agents - 1, 60_000)
    await looked()
    expect(await alertsOf(rules.offline)).toEqual([])
    const after = await messages()
    expect(after.slice(0, before.length)).toEqual(before)
    expect(new Set(after.slice(before.length))).toEqual(new Set(['alert']))
  })

  it('are neither opened nor told again by a restart of Muster after a long time', async () => {
    const before = await messages()
    const { stack } = fleet
    for (const one of [...stack.ingest, ...stack.workers, stack.admin]) one?.kill('SIGKILL')
    await longAway()
    await Promise.all([...stack.ingest, ...stack.workers, stack.admin].map((one) => one?.ready))
    await eventually(async () => (await recorder.online()) === agents - 1, 60_000)
    await looked()
    expect(await alertsOf(rules.offline)).toEqual([])
    await expectAlerts(agents - 1, 'active', 2, 3)
    expect(await messages()).toEqual(before)
  })

  it('open for the device that stayed silent when Muster has listened long enough', async () => {
    await query(
      `UPDATE alert_outages SET began_at = began_at - interval '5 minutes', ended_at = ended_at - interval '5 minutes'`,
    )
    await eventually(async () => (await alertsOf(rules.offline)).length > 0, 60_000)
    await looked()
    expect(await alertsOf(rules.offline)).toEqual([{ status: 'active', occurrences: 1, times: 1 }])
  })
})
