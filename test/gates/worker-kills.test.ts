// Workers are killed while alerts open and end. Each alert opens once, each step and event is handled once, and each message
// and event arrives at least once, repeated only with the same key.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { shardStream, workersKey } from '@muster/backplane/keys.ts'
import { createKeyring } from '@muster/kit/secrets/keyring.ts'
import { type Receiver, receiver } from '@muster/testkit/receiver.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Alerting, setUpAlerting } from '../../apps/worker/src/testing/alerting.ts'
import { type Bed, makeDevices, openBed, type TestDevice, until } from '../../apps/worker/src/testing/bed.ts'
import { Machines } from '../../apps/worker/src/testing/machines.ts'

const shards = 4
const workersPerProcess = 8
/** Each start takes two seconds of CPU. The long test kills more. */
const processes = Number(process.env.KILLED_PROCESSES || 4)

let bed: Bed
let folder: string
let first: Receiver
let second: Receiver
let webhook: Receiver
const keyring = createKeyring()
const children = new Set<ChildProcess>()

beforeAll(async () => {
  bed = await openBed()
  folder = await mkdtemp(join(tmpdir(), 'muster-workers-'))
  await writeFile(join(folder, 'keys.json'), JSON.stringify(keyring), { mode: 0o600 })
  // Slow enough for a worker to die between the request and its answer.
  const slow = () => receiver((response) => void setTimeout(() => response.writeHead(200).end(), randomInt(30)))
  first = await slow()
  second = await slow()
  webhook = await slow()
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await bed?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A process with several workers; resolves when they run. */
async function startWorkers(): Promise<ChildProcess> {
  const main = fileURLToPath(new URL('./several-workers.ts', import.meta.url))
  const child = spawn(process.execPath, [main, String(workersPerProcess)], {
    env: {
      SYSTEM_DATABASE_URL: bed.systemUrl,
      REDIS_URL: bed.redisUrl,
      KEYS_FILE: join(folder, 'keys.json'),
      METRICS_PORT: '0',
      LOG_LEVEL: 'error',
      STREAM_SHARDS: String(shards),
      OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8',
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  children.add(child)
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`the workers ended with ${code}`)))
  })
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGKILL')
  await ended
  children.delete(child)
}

interface Seen {
  readonly busy: readonly TestDevice[]
  readonly gone: readonly TestDevice[]
  /** The ids of those that came back. */
  readonly returned: ReadonlySet<string>
}

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await bed.owner.query<Row>(text, values)).rows

const countOf = async (of: string, values: unknown[] = []) =>
  (await query<{ count: number }>(`SELECT count(*)::int AS count FROM ${of}`, values))[0]?.count ?? 0
const isSome = (count: number) => count > 0
const isAll =
  ({ length }: readonly unknown[]) =>
  (count: number) =>
    count === length

/** The leases of killed workers end. */
async function endLeases(): Promise<void> {
  const leases = [...(await bed.redis.keys('lock:*')), ...(await bed.redis.keys('shard-owner:*'))]
  await bed.redis.del(workersKey, ...leases)
  await query(`UPDATE deliveries SET next_attempt_at = now() WHERE status = 'delivering'`)
  await query(`UPDATE delivery_lanes SET due_at = now() WHERE due_at > now()`)
  // The start of the next process may take longer than Muster may be deaf.
  await query(`UPDATE alert_listening SET listened_at = now() + interval '10 minutes'`)
}

/** Time passes for groups and messages. */
async function pass(seconds: number): Promise<void> {
  const earlier = (column: string) => `${column} = ${column} - interval '${seconds} seconds'`
  await query(`UPDATE alert_messages SET ${earlier('at')}`)
  const times = ['notify_at', 'step_at', 'repeat_at', 'notified_at', 'loop_began_at']
  await query(`UPDATE alert_groups SET ${times.map(earlier).join(', ')}`)
}

/** What is still to be done: frames, events, groups and deliveries; and what has to wait for a minute. */
async function left() {
  const lengths = await Promise.all(Array.from({ length: shards }, (_, shard) => bed.redis.xlen(shardStream(shard))))
  const [counts = {}] = await query<Record<string, number>>(`SELECT
      (SELECT count(*)::int FROM event_cursors c WHERE EXISTS (SELECT FROM events e WHERE (e.tx, e.seq) > (c.tx, c.seq))) AS followers,
      (SELECT count(*)::int FROM alert_groups WHERE closed_at IS NULL AND due_at <= now()) AS groups,
      (SELECT count(*)::int FROM device_state s JOIN alert_rules r ON r.kind = 'offline' WHERE s.status = 'offline'
        AND NOT EXISTS (SELECT FROM alerts a WHERE a.rule_id = r.id AND a.device_id = s.device_id)) AS silent,
      (SELECT count(*)::int FROM alerts a JOIN alert_rules r ON r.id = a.rule_id AND r.kind = 'offline'
        JOIN device_state s ON s.device_id = a.device_id AND s.status = 'online' WHERE a.holds) AS back,
      (SELECT count(*)::int FROM alerts a WHERE status = 'active'
        AND NOT EXISTS (SELECT FROM alert_messages m WHERE a.id = ANY (m.alert_ids))) AS untold,
      (SELECT count(*)::int FROM deliveries WHERE ended_at IS NULL) AS deliveries`)
  const frames = lengths.reduce((sum, length) => sum + length, 0)
  const held = await countOf('alert_messages WHERE held')
  const open = await countOf('alert_groups g JOIN alert_policies p ON true WHERE closed_at IS NULL AND step < 2')
  return { now: { ...counts, frames }, later: { held, open } }
}
const isDone = (counts: Record<string, number>) => Object.values(counts).every((count) => count === 0)

async function allDone(): Promise<void> {
  const deadline = Date.now() + 90_000
  for (let counts = await left(); !isDone(counts.now) || !isDone(counts.later); counts = await left()) {
    if (isDone(counts.now)) await pass(60)
    if (Date.now() > deadline) throw new Error(`still to be done: ${JSON.stringify(counts)}`)
    await pause(200)
  }
}

/** Whether each key arrived, and all requests with the same key are the same. */
function arrivals({ received }: Receiver): { keys: Set<string>; changed: string[] } {
  const bodies = new Map<string, string>()
  const changed: string[] = []
  for (const { headers, body } of received) {
    const key = String(headers['webhook-id'])
    if ((bodies.get(key) ?? body) !== body) changed.push(key)
    bodies.set(key, body)
  }
  return { keys: new Set(bodies.keys()), changed }
}

/** Alerts: one for each time that a condition became true, opened once and resolved if the condition ended. */
async function expectAlerts(rules: Alerting, machines: Machines, { busy, gone, returned }: Seen): Promise<void> {
  const alerts = await query<{ rule: string; device: string; status: string; occurrences: number; opened: number }>(
    `SELECT rule_id AS rule, device_id AS device, status, occurrences,
       (SELECT count(*)::int FROM alert_timeline t WHERE t.alert_id = a.id AND t.kind = 'opened') AS opened
     FROM alerts a`,
  )
  const of = (rule: string, { id }: TestDevice) => alerts.filter((each) => each.rule === rule && each.device === id)
  expect(alerts.filter(({ opened }) => opened !== 1)).toEqual([])
  for (const device of busy) {
    const rises = machines.risesOf(device)
    const own = of(rules.busy, device)
    expect(own.map(({ status, occurrences }) => [status, occurrences])).toEqual(Array(rises).fill(['resolved', 1]))
    const together = rises === 0 ? [] : [{ status: 'resolved', occurrences: rises }]
    expect(of(rules.longBusy, device)).toMatchObject(together)
  }
  for (const device of gone) {
    const status = returned.has(device.id) ? 'resolved' : 'active'
    expect(of(rules.offline, device)).toMatchObject([{ status, occurrences: 1 }])
    expect(of(rules.wentOffline, device)).toMatchObject([{ status: 'active', occurrences: 1 }])
  }
}

/** Events: one for each change, handled by each follower, received by the webhook. */
async function expectEvents(): Promise<void> {
  const kinds = await query<{ kind: string; count: number }>(
    `SELECT kind, count(*)::int AS count FROM alert_timeline WHERE kind IN ('opened', 'resolved', 'reopened') GROUP BY kind ORDER BY kind`,
  )
  const types = await query<{ kind: string; count: number }>(
    `SELECT split_part(type, '.', 2) AS kind, count(*)::int AS count FROM events WHERE type LIKE 'alert.%' GROUP BY type ORDER BY type`,
  )
  expect(types).toEqual(kinds)
  const stored = await query<{ id: string }>('SELECT id, type, at, data FROM events')
  const { keys, changed } = arrivals(webhook)
  expect(stored.filter(({ id }) => !keys.has(id))).toEqual([])
  expect(keys.size).toBe(stored.length)
  expect(changed).toEqual([])
  expect(await query('SELECT follower, error FROM event_failures')).toEqual([])
}

/** Of the group whose alerts stay. */
const stepsOf = 'alert_group_steps s JOIN alert_groups g ON g.id = s.group_id WHERE g.key = $1'
const allSteps = [
  { loop: 0, step: 0 },
  { loop: 0, step: 1 },
  { loop: 1, step: 0 },
  { loop: 1, step: 1 },
]

/** Messages: each step once, each message received, repeated only with the same key. */
async function expectMessages(rules: Alerting): Promise<void> {
  const twice = await query(
    `SELECT group_id, split_part(key, ':', 4) AS loop, step, channel_id FROM alert_messages WHERE kind = 'escalation'
     GROUP BY 1, 2, 3, 4 HAVING count(*) > 1`,
  )
  expect(twice).toEqual([])
  const steps = await query(`SELECT s.loop, s.step FROM ${stepsOf} ORDER BY s.loop, s.step`, [
    `rule:${rules.wentOffline}`,
  ])
  expect(steps).toEqual(allSteps)
  const direct = await query(
    `SELECT a.id FROM alerts a LEFT JOIN alert_messages m ON a.id = ANY (m.alert_ids) AND m.key LIKE 'rule:%'
     WHERE a.rule_id = $1 GROUP BY a.id HAVING count(m.id) <> 1`,
    [rules.offline],
  )
  expect(direct).toEqual([])
  const unsent = await query(
    `SELECT m.key FROM alert_messages m WHERE NOT m.digest
       AND NOT EXISTS (SELECT FROM deliveries d WHERE d.lane = 'channel:' || m.channel_id AND d.key = m.key)`,
  )
  expect(unsent).toEqual([])
  for (const [index, peer] of [first, second].entries()) {
    const sent = await query<{ key: string; status: string }>('SELECT key, status FROM deliveries WHERE lane = $1', [
      `channel:${rules.channels[index]}`,
    ])
    expect(sent.filter(({ status }) => status !== 'succeeded')).toEqual([])
    const { keys, changed } = arrivals(peer)
    expect(keys).toEqual(new Set(sent.map(({ key }) => key)))
    expect(changed).toEqual([])
  }
}

/** What the workers have begun when they are killed; at last nothing. */
const stages = [
  'deliveries WHERE coalesce(ended_at, next_attempt_at) > $1',
  'alert_messages WHERE at > $1',
  'stream_positions WHERE updated_at > $1',
  undefined,
]

it(`opens each alert once and loses no step, message or event when ${processes * workersPerProcess} workers are killed`, async () => {
  const devices = await makeDevices(bed, 60)
  const [busy, silent] = [devices.slice(0, 30), devices.slice(30)]
  const [some] = devices
  if (some === undefined) throw new Error('no device')
  const urls = { first: first.url, second: second.url, webhook: webhook.url }
  const rules = await setUpAlerting(bed, keyring, some, urls)
  const machines = new Machines(bed.redis, shards)
  const gone = [...silent]
  const returned = new Set<string>()
  for (let round = 0; round < processes; round++) {
    const begun = new Date()
    const workers = await startWorkers()
    if (round === 0) {
      // What happened before is not theirs.
      await until('the followers have begun', () => countOf('event_cursors'), isSome)
      for (const device of silent) machines.connect(device, Date.now() - 200_000)
      await machines.begin(busy)
      await until('all are online', () => countOf(`device_state WHERE status = 'online'`), isAll(silent))
    }
    for (const device of gone.splice(0, Math.ceil(silent.length / processes)))
      machines.disconnect(device, Date.now() - 100_000)
    const alerted = await query<{ id: string }>(
      `SELECT device_id AS id FROM alerts WHERE rule_id = $1 AND status = 'active' ORDER BY opened_at LIMIT 2`,
      [rules.offline],
    )
    for (const device of silent.filter(({ id }) => alerted.some((alert) => alert.id === id) && !returned.has(id))) {
      returned.add(device.id)
      machines.connect(device)
    }
    const stage = stages[round % stages.length]
    if (stage !== undefined) await until(stage, () => countOf(stage, [begun]), isSome, 30_000)
    await pause(randomInt(200))
    await kill(workers)
    await endLeases()
    await pass(20)
  }
  const beforeLast = { alerts: await countOf('alerts'), messages: first.received.length }
  await machines.end()
  const workers = await startWorkers()
  await allDone()
  await kill(workers)
  expect(gone.length).toBe(0)
  await expectAlerts(rules, machines, { busy, gone: silent, returned })
  await expectEvents()
  await expectMessages(rules)
  for (let shard = 0; shard < shards; shard++) expect(await bed.redis.exists(`dead:{${shard}}`)).toBe(0)
  // The kills fell into work, not before it.
  expect(beforeLast.alerts).toBeGreaterThan(0)
  expect(beforeLast.messages).toBeGreaterThan(0)
}, 240_000)
