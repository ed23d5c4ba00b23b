import { readKeyring } from '@muster/kit/secrets/keyring.ts'
import autocannon from 'autocannon'
import { z } from 'zod'
import { administrator, startBenchStack } from '../bench-stack.ts'
import { stepsDown } from '../deep-pages.ts'
import { idOf, tenantOf } from '../fleet-files.ts'
import { addTechnician, technician, tokenOf } from '../people.ts'
import { startReference } from '../references.ts'
import { bar, load, median, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter } from '../usage.ts'

const lengths = {
  full: { agents: 50_000, rounds: 5, seconds: 5, steadySeconds: 15 },
  quick: { agents: 50_000, rounds: 1, seconds: 1, steadySeconds: 3 },
}
const connections = 8
const steadyRate = 200
const pagesDeep = 990
const perPage = 50
const pageOf = (limit: number) => `/api/v1/devices?sort=hostname&limit=${limit}`
const Page = z.looseObject({ nextCursor: z.string().nullable() })

interface Side {
  readonly base: string
  readonly token: string
}

/** Reads over REST by a partner's technician, row-level security included, beside R5. */
export const api: Scenario = {
  summary: 'reading one device and a page of fifty among 50,000 over REST, beside hand-written Fastify and pg',
  secondsMax: 600,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, rounds: count = length.rounds } = options
    const bench = keep(await startBenchStack({ agents, admin: 1, profile: options.profile, say }))
    const partnerId = idOf('partner', 0)
    await addTechnician(bench.owner, partnerId)
    const token = await tokenOf(bench.stack.urls.admin, technician)
    const whole: Side = { base: bench.stack.urls.admin, token: await tokenOf(bench.stack.urls.admin, administrator) }
    const reference = keep(startReference('plain-api'))
    const [key] = readKeyring(bench.stack.stores.secretFiles.keysFile).accessTokens
    const { kty = 'OKP', crv = 'Ed25519', x = '' } = key ?? {}
    const asked = { url: bench.stack.urls.system, key: { kty, crv, x }, partnerId }
    const { port } = await reference.ask(asked, z.object({ port: z.int() }))
    const ours: Side = { base: bench.stack.urls.admin, token }
    const plain: Side = { base: `http://127.0.0.1:${port}`, token }
    const device = `/api/v1/devices/${firstDeviceOf(partnerId, agents)}`
    const page = pageOf(perPage)
    const deep = await pageDown(whole)
    const meter = new UsageMeter({ ...bench.groups, reference: () => [reference.pid] })
    const rounds = []
    for (let index = 0; index < count; index++) {
      const round = {
        detail: await saturate(ours, device, length.seconds),
        plainDetail: await saturate(plain, device, length.seconds),
        list: await saturate(ours, page, length.seconds),
        plainList: await saturate(plain, page, length.seconds),
        first: await saturate(whole, page, length.seconds),
        deep: await saturate(whole, deep, length.seconds),
        loadAverage: load(),
      }
      rounds.push(round)
      say(
        `round ${index + 1}: detail ${round.detail} (R5 ${round.plainDetail}), list ${round.list} (R5 ${round.plainList}), of all ${round.first}, deep ${round.deep} per s`,
      )
    }
    const steady = await atRate(ours, page, length.steadySeconds)
    return report(rounds, steady, usageTable('CPU and memory', meter.report()))
  },
}

function firstDeviceOf(partnerId: string, agents: number): string {
  for (let agent = 0; agent < agents; agent++)
    if (idOf('partner', tenantOf(agent).partner) === partnerId) return idOf('device', agent)
  throw new Error('the partner has no device')
}

/** The address of a page far down the list. */
async function pageDown({ base, token }: Side): Promise<string> {
  let after = ''
  // A cursor is independent of the size of earlier pages.
  for (const limit of stepsDown(pagesDeep * perPage)) {
    const path = `${base}${pageOf(limit)}${after}`
    const answer = await fetch(path, { headers: { authorization: `Bearer ${token}` } })
    const { nextCursor } = Page.parse(await answer.json())
    if (nextCursor === null) break
    after = `&cursor=${encodeURIComponent(nextCursor)}`
  }
  return `${pageOf(perPage)}${after}`
}

/** The maximum rate of answers over a number of connections. */
async function saturate({ base, token }: Side, path: string, seconds: number): Promise<number> {
  const result = await autocannon({
    url: `${base}${path}`,
    connections,
    duration: seconds,
    headers: { authorization: `Bearer ${token}` },
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${path}: ${result.non2xx} refusals, ${result.errors} errors`)
  return Math.round(result.requests.total / result.duration)
}

async function atRate({ base, token }: Side, path: string, seconds: number) {
  const settings = { url: `${base}${path}`, connections, duration: seconds, overallRate: steadyRate }
  const { latency, requests } = await autocannon({ ...settings, headers: { authorization: `Bearer ${token}` } })
  return { p50: latency.p50, p97_5: latency.p97_5, p99: latency.p99, max: latency.max, perSecond: requests.average }
}

interface Round {
  readonly detail: number
  readonly plainDetail: number
  readonly list: number
  readonly plainList: number
  readonly first: number
  readonly deep: number
  readonly loadAverage: number
}

function report(
  rounds: readonly Round[],
  steady: Awaited<ReturnType<typeof atRate>>,
  usage: ReturnType<typeof usageTable>,
): Report {
  const ratio = (of: (round: Round) => number) => significant(median(rounds.map(of)))
  const detailVsR5 = ratio((round) => round.detail / round.plainDetail)
  const listVsR5 = ratio((round) => round.list / round.plainList)
  const deepVsFirst = ratio((round) => round.first / round.deep)
  const middle = (name: keyof Round) => Math.round(median(rounds.map((round) => round[name])))
  return {
    scenario: 'api',
    ratios: { detailVsR5, listVsR5, deepVsFirst },
    bars: [
      bar('read by id against R5', detailVsR5, 'at least', 0.8, ' ×'),
      bar('list of fifty against R5', listVsR5, 'at least', 0.7, ' ×'),
      bar(`list at ${steadyRate} requests per second, p99`, steady.p99, 'at most', 25, ' ms'),
      bar(`a page ${pagesDeep} pages down costs, against the first`, deepVsFirst, 'at most', 1.2, ' ×'),
    ],
    tables: [
      {
        title: `answers per second over ${connections} connections, medians of ${rounds.length} rounds`,
        head: ['', 'Muster', 'R5'],
        rows: [
          ['one device', middle('detail'), middle('plainDetail')],
          ['fifty devices', middle('list'), middle('plainList')],
          ['fifty of all devices', middle('first'), '–'],
          [`fifty of all, ${pagesDeep} pages down`, middle('deep'), '–'],
        ],
      },
      {
        title: `fifty devices at ${steadyRate} requests per second`,
        head: ['milliseconds', 'p50', 'p97.5', 'p99', 'max'],
        rows: [['Muster', steady.p50, steady.p97_5, steady.p99, steady.max]],
      },
      usage,
    ],
    figures: { rounds, steady },
  }
}
