import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Passwords } from '@muster/areas/access/auth/passwords/passwords.ts'
import type pg from 'pg'
import { z } from 'zod'
import { type BenchStack, startBenchStack } from '../bench-stack.ts'
import { idOf, tenantOf } from '../fleet-files.ts'
import type { SignIn } from '../generator/sign-ins.process.ts'
import { Histogram, type Percentiles, percentilesOf } from '../histogram.ts'
import { memoryBytesOf } from '../proc.ts'
import { bar, latencyTable, load, median, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { type SignIns, startSignIns } from '../sign-ins.ts'
import { UsageMeter } from '../usage.ts'

const lengths = { full: { rounds: 5, seconds: 10 }, quick: { rounds: 1, seconds: 2 } }
const agents = 500
const readsEveryMs = 20
const atOnce = 16
const peopleCount = 400
const floodPerSecond = 500

type Person = { readonly email: string; readonly password: string }

interface Round {
  readonly bareVerifies: number
  readonly logins: number
  readonly flood: { readonly verified: number; readonly refused: number; readonly unanswered: number }
  readonly grownMiB: number
}

/** Sign-ins beside bare password hashing, with another user's reads meanwhile; then a flood of wrong passwords. */
export const login: Scenario = {
  summary: 'sign-ins per second beside bare Argon2id, a flood of 500 per second, and the effect of both on other users',
  secondsMax: 600,
  async run({ options, say, keep }: Run): Promise<Report> {
    const { rounds: usual, seconds } = options.isQuick ? lengths.quick : lengths.full
    const settings = { admin: { TRUSTED_PROXIES: '127.0.0.1' } }
    const bench = keep(await startBenchStack({ agents, admin: 1, settings, profile: options.profile, say }))
    const signIns = keep(startSignIns())
    const people = await makePeople(bench)
    const url = bench.stack.urls.admin
    const read = await readerOf(bench, people)
    const times = { idle: new Histogram(), logins: new Histogram(), whileLogins: new Histogram() }
    const flooded = { refused: new Histogram(), whileFlood: new Histogram() }
    await signIns.run({ url, people, seconds: 2, atOnce, unknownShare: 0, wrongShare: 0 })
    const meter = new UsageMeter({ ...bench.groups, generator: () => [signIns.pid] })
    const rounds: Round[] = []
    for (let index = 0; index < (options.rounds ?? usual); index++) {
      const bareVerifies = await verifyBare(seconds / 2)
      await reading(read, seconds / 2, times.idle)
      const [done] = await Promise.all([
        signIns.run({ url, people, seconds, atOnce, unknownShare: 0, wrongShare: 0 }),
        reading(read, seconds, times.whileLogins),
      ])
      for (const { ms } of done) times.logins.record(ms * 1000)
      const flood = await floodOnce(bench, signIns, people, seconds, read, flooded)
      const round = { bareVerifies, logins: done.filter(isGood).length / seconds, ...flood }
      rounds.push(round)
      say(
        `round ${index + 1}: ${Math.round(round.logins)} sign-ins/s (${Math.round(bareVerifies)} bare), flood ${JSON.stringify(round.flood)}, load ${load()}`,
      )
    }
    const usage = usageTable('CPU and memory', meter.report())
    return report(rounds, { ...times, ...flooded }, usage)
  },
}

const isGood = ({ status }: SignIn) => status === 200

async function floodOnce(
  { stack, groups }: BenchStack,
  signIns: SignIns,
  people: readonly Person[],
  seconds: number,
  read: () => Promise<number>,
  { refused, whileFlood }: { refused: Histogram; whileFlood: Histogram },
) {
  const memory = () => (groups.admin?.() ?? []).reduce((sum, pid) => sum + memoryBytesOf(pid), 0) / 2 ** 20
  const before = memory()
  const [done] = await Promise.all([
    signIns.run({
      url: stack.urls.admin,
      people,
      seconds,
      perSecond: floodPerSecond,
      unknownShare: 0.5,
      wrongShare: 1,
    }),
    reading(read, seconds, whileFlood),
  ])
  const turnedAway = done.filter(({ status }) => status === 429 || status === 503)
  for (const { ms } of turnedAway) refused.record(ms * 1000)
  return {
    flood: {
      verified: done.filter(({ status }) => status === 401).length,
      refused: turnedAway.length,
      unanswered: done.filter(({ status }) => status === 0).length,
    },
    grownMiB: memory() - before,
  }
}

/** How many passwords this machine verifies per second when idle. */
async function verifyBare(seconds: number): Promise<number> {
  const passwords = new Passwords()
  const hash = await passwords.hash('correct-horse-battery-staple')
  const end = performance.now() + seconds * 1000
  let count = 0
  const one = async () => {
    while (performance.now() < end) {
      await passwords.verify(hash, 'wrong')
      count++
    }
  }
  await Promise.all([one(), one(), one(), one()])
  return count / seconds
}

/** Technicians of one partner, who share a password because hashing is slow. */
async function makePeople({ owner }: BenchStack): Promise<Person[]> {
  const password = `${randomBytes(9).toString('base64url')} Harbour`
  const hash = await new Passwords().hash(password)
  const people = Array.from({ length: peopleCount }, (_, n) => ({ email: `login-${n}@muster.example`, password }))
  await insertPeople(owner, people, hash)
  return people
}

async function insertPeople(owner: pg.Client, people: readonly Person[], hash: string): Promise<void> {
  await owner.query(
    `WITH technicians AS (
       INSERT INTO users (email, name, password_hash, status, email_verified_at) SELECT email, 'Technician', $2, 'active', now() FROM unnest($1::text[]) AS email
       ON CONFLICT (email) DO UPDATE SET password_hash = excluded.password_hash RETURNING id)
     INSERT INTO partner_users (partner_id, user_id, role_id, org_access)
     SELECT $3, technicians.id, roles.id, 'all' FROM technicians, roles WHERE roles.is_system AND roles.name = 'Partner Technician'
     ON CONFLICT DO NOTHING`,
    [people.map(({ email }) => email), hash, idOf('partner', 0)],
  )
}

/** Reads one device as a signed-in user, and returns the duration. */
async function readerOf({ stack }: BenchStack, [who]: readonly Person[]): Promise<() => Promise<number>> {
  const base = `${stack.urls.admin}/api/v1`
  const answer = await fetch(`${base}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(who),
  })
  const { accessToken } = z.looseObject({ accessToken: z.string() }).parse(await answer.json())
  const device = Array.from({ length: agents }, (_, agent) => agent).find((agent) => tenantOf(agent).partner === 0) ?? 0
  const headers = { authorization: `Bearer ${accessToken}` }
  return async () => {
    const began = performance.now()
    const { ok } = await fetch(`${base}/devices/${idOf('device', device)}`, { headers }).then(async (given) => {
      await given.arrayBuffer()
      return given
    })
    if (!ok) throw new Error('a read was refused')
    return performance.now() - began
  }
}

async function reading(read: () => Promise<number>, seconds: number, into: Histogram): Promise<void> {
  const asked: Promise<void>[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    asked.push(read().then((ms) => into.record(ms * 1000)))
    await pause(readsEveryMs)
  }
  await Promise.all(asked)
}

function report(
  rounds: readonly Round[],
  histograms: Record<'idle' | 'logins' | 'whileLogins' | 'refused' | 'whileFlood', Histogram>,
  usage: ReturnType<typeof usageTable>,
): Report {
  const latency = Object.fromEntries(
    Object.entries(histograms).map(([name, histogram]): [string, Percentiles] => [name, percentilesOf(histogram)]),
  )
  const p95 = (name: keyof typeof histograms) => latency[name]?.p95 ?? 0
  const logins = median(rounds.map((round) => round.logins))
  const vsBare = median(rounds.map((round) => round.logins / round.bareVerifies))
  const busyVsIdle = p95('whileFlood') / p95('idle')
  const unanswered = rounds.reduce((sum, { flood }) => sum + flood.unanswered, 0)
  return {
    scenario: 'login',
    ratios: { vsBare: significant(vsBare), floodReadsVsIdle: significant(busyVsIdle) },
    bars: [
      bar('sign-ins, of what bare hashing reaches', vsBare, 'at least', 0.5),
      bar('reads while a flood of sign-ins, p95 of idle', busyVsIdle, 'at most', 2),
      bar('flood: refused within, p95', p95('refused'), 'at most', 50, ' ms'),
      bar('flood: unanswered', unanswered, 'at most', 0),
      bar('flood: memory grown', Math.max(...rounds.map(({ grownMiB }) => grownMiB)), 'at most', 300, ' MiB'),
    ],
    tables: [
      {
        title: 'a second, median of rounds',
        head: ['', 'per s'],
        rows: [
          ['sign-ins', significant(logins)],
          ['bare Argon2id verifications', significant(median(rounds.map((round) => round.bareVerifies)))],
        ],
      },
      latencyTable('Latency', {
        'sign-in': latency.logins ?? percentilesOf(new Histogram()),
        'read, idle': latency.idle ?? percentilesOf(new Histogram()),
        'read, while people sign in': latency.whileLogins ?? percentilesOf(new Histogram()),
        'read, while a flood': latency.whileFlood ?? percentilesOf(new Histogram()),
        'refusal in the flood': latency.refused ?? percentilesOf(new Histogram()),
      }),
      usage,
    ],
    figures: { rounds, latency },
  }
}
