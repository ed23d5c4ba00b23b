import { z } from 'zod'
import type { ApiClient } from '../api-client.ts'
import { administrator, startBenchStack } from '../bench-stack.ts'
import { stepsDown } from '../deep-pages.ts'
import { idOf } from '../fleet-files.ts'
import { spreadStates } from '../fleet-states.ts'
import { Histogram, percentilesOf } from '../histogram.ts'
import { addTechnician, clientOf, technician } from '../people.ts'
import { bar, latencyTable, median, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter } from '../usage.ts'
import { pause } from '../waiting.ts'

const lengths = {
  full: { agents: 50_000, rounds: 5, perFilter: 60, pairs: 200, deepPages: 990 },
  quick: { agents: 50_000, rounds: 1, perFilter: 8, pairs: 40, deepPages: 990 },
}
/** The pace of a few users: latency matters here, not throughput. */
const perSecond = 50
const perPage = 50
const page = `devices?limit=${perPage}`
const Page = z.looseObject({ nextCursor: z.string().nullable() })
const words = ['host-123', 'hots-4242', 'host-4999.example', 'exmaple 77', 'nothing-like-it']

const filtersOf = (org: string) => ({
  'by name': '&sort=hostname',
  online: '&sort=hostname&status=online',
  'offline or updating': '&sort=hostname&status=offline,updating',
  'of one organization': `&sort=hostname&orgId=${org}`,
  'of one organization, online': `&sort=hostname&orgId=${org}&status=online`,
  'part of a name': '&sort=hostname&search=ost-12',
  'a name that nothing has': '&sort=hostname&search=no-such-name',
  'by time of enrollment, newest first': '&sort=enrolled&sortDir=desc',
  'by when last seen': '&sort=lastSeen&sortDir=desc',
  'with a total': '&sort=hostname&includeTotal=true',
})

/** Lists as users request them, by a partner's technician; the deep page and the search also over all devices. */
export const devices: Scenario = {
  summary: 'pages of fifty devices among 50,000 with filters, a page far down, and search by name',
  secondsMax: 900,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, rounds = length.rounds } = options
    const bench = keep(await startBenchStack({ agents, admin: 1, profile: options.profile, say }))
    await spreadStates(bench.owner)
    await addTechnician(bench.owner, idOf('partner', 0))
    const partner = keep(await clientOf(bench.stack.urls.admin, technician))
    const whole = keep(await clientOf(bench.stack.urls.admin, administrator))
    const deep = await pageDown(whole, length.deepPages)
    const times = new Map<string, Histogram>()
    const all = new Histogram()
    const searches = { ofPartner: new Histogram(), ofAll: new Histogram() }
    const filters = Object.entries(filtersOf(idOf('org', 0)))
    for (const [, filter] of filters) for (let warm = 0; warm < 8; warm++) await read(partner, page + filter)
    for (const word of words) for (const who of [partner, whole]) await read(who, searchFor(word))
    const meter = new UsageMeter(bench.groups)
    const depths: number[] = []
    for (let round = 0; round < rounds; round++) {
      const asked = Array.from({ length: length.perFilter }, () => filters).flat()
      await steadily(asked, async ([name, filter]) => {
        const micros = 1000 * (await read(partner, page + filter))
        all.record(micros)
        const own = times.get(name) ?? new Histogram()
        times.set(name, own)
        own.record(micros)
      })
      depths.push(await compareDepth(whole, deep, length.pairs))
      for (const word of words) {
        searches.ofPartner.record(1000 * (await read(partner, searchFor(word))))
        searches.ofAll.record(1000 * (await read(whole, searchFor(word))))
      }
      say(
        `round ${round + 1}: p95 ${percentilesOf(all).p95} ms, deep ${significant(depths.at(-1) ?? 0)} × the first page`,
      )
    }
    const latency = percentilesOf(all)
    const found = { ofPartner: percentilesOf(searches.ofPartner), ofAll: percentilesOf(searches.ofAll) }
    const deepVsFirst = significant(median(depths))
    return {
      scenario: 'devices',
      ratios: { deepVsFirst },
      bars: [
        bar(`fifty of ${agents} devices with filters, p95`, latency.p95, 'at most', 25, ' ms'),
        bar(`a page ${length.deepPages} pages down costs, against the first`, deepVsFirst, 'at most', 1.2, ' ×'),
        bar('search by name in a partner, p95', found.ofPartner.p95, 'at most', 150, ' ms'),
        bar(`search by name among ${agents}, p95`, found.ofAll.p95, 'at most', 150, ' ms'),
      ],
      tables: [
        latencyTable(`fifty devices, ${perSecond} requests per second`, {
          ...Object.fromEntries([...times].map(([name, histogram]) => [name, percentilesOf(histogram)])),
          all: latency,
        }),
        latencyTable('search by name', { 'in a partner': found.ofPartner, [`among all ${agents}`]: found.ofAll }),
        usageTable('CPU and memory', meter.report()),
      ],
      figures: { agents, rounds, depths, latency, found },
    }
  },
}

const searchFor = (word: string) => `search?q=${encodeURIComponent(word)}`

async function read(client: ApiClient, path: string): Promise<number> {
  const { status, ms, body } = await client.send('GET', path)
  if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body)}`)
  return ms
}

/** Starts requests at a fixed pace, independent of the answers. */
async function steadily<T>(items: readonly T[], ask: (item: T) => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  const answers: Promise<void>[] = []
  for (const [index, item] of items.entries()) {
    await pause(Math.max(0, startedAt + (index * 1000) / perSecond - performance.now()))
    answers.push(ask(item))
  }
  await Promise.all(answers)
}

async function pageDown(client: ApiClient, pages: number): Promise<string> {
  let after = ''
  for (const limit of stepsDown(pages * perPage)) {
    const { body } = await client.send('GET', `devices?limit=${limit}&sort=hostname${after}`)
    const { nextCursor } = Page.parse(body)
    if (nextCursor === null) break
    after = `&cursor=${encodeURIComponent(nextCursor)}`
  }
  return `${page}&sort=hostname${after}`
}

/** The cost of the deep page relative to the first one, requested in turn. */
async function compareDepth(client: ApiClient, deep: string, pairs: number): Promise<number> {
  const first: number[] = []
  const far: number[] = []
  for (let pair = 0; pair < pairs; pair++) {
    first.push(await read(client, `${page}&sort=hostname`))
    far.push(await read(client, deep))
  }
  return median(far) / median(first)
}
