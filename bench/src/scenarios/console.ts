import { type LiveEvent, publishLive } from '@muster/backplane/live.ts'
import { ensureConsole } from '@muster/stack/console.ts'
import { administrator, type BenchStack, startBenchStack } from '../bench-stack.ts'
import { ConsolePage } from '../console-page.ts'
import { idOf, tenantOf } from '../fleet-files.ts'
import { spreadStates } from '../fleet-states.ts'
import { Histogram, type Percentiles, percentilesOf } from '../histogram.ts'
import { bar, latencyTable, median, type Report, significant, usageTable } from '../report.ts'
import type { Run, Scenario } from '../scenario.ts'
import { UsageMeter } from '../usage.ts'
import { pause } from '../waiting.ts'

const lengths = {
  full: {
    agents: 50_000,
    loads: 20,
    searches: 60,
    changes: 60,
    scrollSeconds: 20,
    memorySeconds: 600,
    reported: 50_000,
  },
  quick: { agents: 50_000, loads: 2, searches: 4, changes: 2, scrollSeconds: 2, memorySeconds: 4, reported: 2_000 },
}
const changesPerSecond = 1_000
const ticksPerSecond = 10
/** Several hundred rows per second: faster than anyone reads. */
const pixelsPerSecond = 4_000
const samples = 15

/** A system administrator works in the list of all devices while a thousand of them change per second. */
export const consoleScreens: Scenario = {
  summary:
    'the console with 50,000 devices in Chromium: first rows, search, changes, scrolling, memory under live changes',
  secondsMax: 1_500,
  async run({ options, say, keep }: Run): Promise<Report> {
    const length = options.isQuick ? lengths.quick : lengths.full
    const { agents = length.agents, seconds = length.memorySeconds } = options
    await ensureConsole()
    const bench = keep(await startBenchStack({ agents, admin: 1, profile: options.profile, say }))
    await spreadStates(bench.owner)
    const page = keep(await ConsolePage.open(bench.stack.urls.admin, administrator))
    const meter = new UsageMeter(bench.groups)
    const firstRows = await timed(length.loads, () => page.firstRows())
    say(`first rows p95 ${firstRows.p95} ms`)
    await page.clearSearch()
    const searches = await timed(length.searches, (index) => page.search(`host-${1_000 + index * 37}`))
    say(`search p95 ${searches.p95} ms`)
    await page.clearSearch()
    const scrolled = await page.scroll(pixelsPerSecond, length.scrollSeconds)
    const jumps = await timed(5, (index) => page.jump(Math.floor((agents / 6) * (index + 1))))
    say(`scrolled ${Math.round(scrolled.pixels)} px, ${scrolled.incomplete} of ${scrolled.frames} frames with a gap`)
    await page.clearSearch()
    const fleet = keep(new ChangingFleet(bench, Math.min(agents, length.reported)))
    fleet.begin()
    const changes = await timed(length.changes, (index) => fleet.change(page, index))
    say(`a change is seen after p95 ${changes.p95} ms, at ${changesPerSecond} changes a second`)
    const heap = await heapOver(page, seconds, say)
    const growth = significant(100 * (median(heap.slice(-5)) / median(heap.slice(0, 5)) - 1))
    return {
      scenario: 'console',
      ratios: {},
      bars: [
        bar(`first rows of ${agents} devices, p95`, firstRows.p95, 'at most', 300, ' ms'),
        bar('search by name, from the last key to the rows, p95', searches.p95, 'at most', 150, ' ms'),
        bar('a changed status in sight, p95', changes.p95, 'at most', 2_000, ' ms'),
        bar(`frames with a gap at ${pixelsPerSecond} pixels a second`, scrolled.incomplete, 'at most', 0),
        bar(`growth of memory over ${seconds} s at ${changesPerSecond} changes a second`, growth, 'at most', 10, ' %'),
      ],
      tables: [
        latencyTable('what one waits for', {
          'first rows': firstRows,
          search: searches,
          'a changed status': changes,
          'a row far away': jumps,
        }),
        usageTable('CPU and memory of the service', meter.report()),
      ],
      figures: {
        agents,
        firstRows,
        searches,
        changes,
        jumps,
        scrolled,
        heapMiB: heap.map(mebibytes),
        reported: fleet.reported,
      },
    }
  },
}

const mebibytes = (bytes: number) => significant(bytes / 2 ** 20)

async function timed(times: number, work: (index: number) => Promise<number>): Promise<Percentiles> {
  const histogram = new Histogram()
  for (let index = 0; index < times; index++) histogram.record(Math.round(1000 * (await work(index))))
  return percentilesOf(histogram)
}

/** Memory of the page over time. The first third is skipped, because the page still loads devices. */
async function heapOver(page: ConsolePage, seconds: number, say: Run['say']): Promise<number[]> {
  await pause((seconds * 1000) / 3)
  const found: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    found.push(await page.heapBytes())
    say(`the page holds ${mebibytes(found.at(-1) ?? 0)} MiB`)
    await pause(((seconds * 1000) / samples) * (2 / 3))
  }
  return found
}

/** Devices that report, a thousand per second, with live events as from workers. */
class ChangingFleet {
  readonly #bench: BenchStack
  readonly #devices: number
  #timer: NodeJS.Timeout | undefined
  #next = 0
  reported = 0

  constructor(bench: BenchStack, devices: number) {
    this.#bench = bench
    this.#devices = devices
  }

  begin(): void {
    this.#timer = setInterval(() => void this.#tick(), 1_000 / ticksPerSecond)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
  }

  /** Changes the first visible device, and waits until its row shows the change. */
  async change(page: ConsolePage, index: number): Promise<number> {
    const deviceId = await page.firstDevice()
    const [status, word] = index % 2 === 0 ? (['offline', 'Offline'] as const) : (['online', 'Online'] as const)
    const { rows } = await this.#bench.owner.query<{ org: string; site: string | null; partner: string }>(
      'SELECT org_id AS org, site_id AS site, partner_id AS partner FROM devices WHERE id = $1',
      [deviceId],
    )
    const [row] = rows
    if (row === undefined) throw new Error(`the list shows ${deviceId}, which is not there`)
    await this.#bench.owner.query('UPDATE device_state SET status = $2 WHERE device_id = $1', [deviceId, status])
    const event = { type: 'device.status' as const, orgId: row.org, siteId: row.site, deviceId, at: Date.now(), status }
    return page.untilRowSays(deviceId, word, () => publishLive(this.#bench.redis, row.partner, [event]))
  }

  async #tick(): Promise<void> {
    const ofPartner = new Map<string, LiveEvent[]>()
    for (let count = 0; count < changesPerSecond / ticksPerSecond; count++) {
      const agent = this.#next++ % this.#devices
      const { org, partner } = tenantOf(agent)
      const events = ofPartner.get(idOf('partner', partner)) ?? []
      ofPartner.set(idOf('partner', partner), events)
      events.push({
        type: 'device.heartbeat',
        orgId: idOf('org', org),
        siteId: idOf('site', org),
        deviceId: idOf('device', agent),
        at: Date.now(),
        cpuPercent: Math.round(Math.random() * 1_000) / 10,
        memoryUsed: 4_000_000_000,
        memoryTotal: 8_000_000_000,
      })
      this.reported++
    }
    await Promise.all([...ofPartner].map(([partner, events]) => publishLive(this.#bench.redis, partner, events)))
  }
}
