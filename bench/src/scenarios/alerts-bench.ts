import { canRetry } from '@muster/db/violations.ts'
import type { ApiClient } from '../api-client.ts'
import type { BenchStack } from '../bench-stack.ts'
import type { Verdict } from '../check.ts'
import { fleetTenants, idOf } from '../fleet-files.ts'
import type { Generator } from '../generator/generator.ts'
import { checkAndClear, type LoadRun, runLoad } from '../load-run.ts'
import { pause } from '../waiting.ts'

/** Rules act within five seconds of a change. */
const rulesLearnedMs = 6_000
export const steadyRate = 10_000
const firstRate = 30_000
/** While devices learn their rules. */
const learnRate = 20_000
const rateMax = 150_000
const fullDrainMs = 800
const atOnce = 8
const triesMax = 5
const emptied =
  'alert_rules, alerts, alert_states, alert_groups, alert_policies, alert_channels, delivery_lanes, events'

interface Parts {
  readonly stack: BenchStack
  readonly generator: Generator
  readonly api: ApiClient
  say(line: string): void
}

export interface Measured {
  readonly storedPerSecond: number
  /** Worker CPU per heartbeat at a steady rate, and bytes written to the log of PostgreSQL. */
  readonly micros: number
  readonly bytes: number
  readonly memoryMiB: number
}

/** A stack with agents whose heartbeats rules look at. */
export class AlertsBench {
  readonly stack: BenchStack
  readonly generator: Generator
  readonly api: ApiClient
  readonly say: (line: string) => void
  readonly verdicts: Verdict[] = []

  constructor({ stack, generator, api, say }: Parts) {
    this.stack = stack
    this.generator = generator
    this.api = api
    this.say = say
  }

  /** Workers use these tables meanwhile, so that it may take several tries. */
  async empty(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.stack.owner.query(`TRUNCATE ${emptied} CASCADE`)
        return
      } catch (error) {
        if (tries === triesMax || !canRetry(error)) throw error
      }
    }
  }

  /** Creates something through the API. @returns its id */
  async create(path: string, body: object): Promise<string> {
    const { status, body: made } = await this.api.send('POST', path, body)
    if (status !== 201 || typeof made !== 'object' || made === null || !('id' in made))
      throw new Error(`${path} was answered with ${status} ${JSON.stringify(made)}`)
    return String(made.id)
  }

  /** Rules of each partner that look at figures, windows and trees of them, and never come true. */
  async makeRules(perPartner: number): Promise<void> {
    const metric = (name: string, threshold: number, more: object = {}) => ({
      kind: 'metric',
      metric: name,
      operator: 'gt',
      threshold,
      ...more,
    })
    const shapes = [
      metric('cpuPercent', 101),
      metric('memoryPercent', 101),
      { all: [metric('cpuPercent', 50), metric('diskPercent', 101)] },
      { any: [metric('load1m', 1_000), metric('processCount', 1_000_000)] },
    ]
    const wanted = Array.from({ length: fleetTenants.partners }, (_, partner) =>
      Array.from({ length: perPartner }, (_, rule) => ({
        partnerId: idOf('partner', partner),
        name: `Never ${rule}`,
        severity: 'low',
        conditions: shapes[rule % shapes.length],
        forSeconds: rule % 3 === 0 ? 60 : 0,
      })),
    ).flat()
    const work = async () => {
      for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) await this.create('alerts/rules', next)
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    await this.#switchRules(true)
  }

  /** Turns the rules that never come true on or off, and waits until workers know it. */
  async #switchRules(areOn: boolean): Promise<void> {
    await this.stack.owner.query(
      `UPDATE alert_rules SET enabled = $1, version = version + 1, updated_at = now() WHERE name LIKE 'Never %'`,
      [areOn],
    )
    await pause(rulesLearnedMs)
  }

  /** All devices are learned again with their rules. */
  async #learn(agents: number): Promise<void> {
    await this.load(learnRate, Math.max(2, Math.ceil((1.2 * agents) / learnRate)))
  }

  /** Raises the rate until heartbeats wait. */
  async findMaximum(agents: number, seconds: number): Promise<number> {
    await this.#learn(agents)
    for (let rate = firstRate; ; rate *= 1.5) {
      const { storedPerSecond, drainMs } = await this.load(rate, seconds)
      this.say(`trial: ${Math.round(rate)}/s offered, ${storedPerSecond}/s stored, drain ${drainMs} ms`)
      if (drainMs > fullDrainMs || rate * 1.5 > rateMax) return storedPerSecond * 1.03
    }
  }

  /** One round without the rules and one with them, in turn. */
  async compare(
    rate: number,
    agents: number,
    seconds: { most: number; steady: number },
    isWithFirst: boolean,
  ): Promise<{ with: Measured; without: Measured }> {
    const first = await this.#measure(isWithFirst, rate, agents, seconds)
    const second = await this.#measure(!isWithFirst, rate, agents, seconds)
    return isWithFirst ? { with: first, without: second } : { with: second, without: first }
  }

  async #measure(
    withRules: boolean,
    rate: number,
    agents: number,
    { most, steady }: { most: number; steady: number },
  ): Promise<Measured> {
    await this.#switchRules(withRules)
    await this.#learn(agents)
    const { storedPerSecond } = await this.load(rate, most)
    const before = await this.#walBytes()
    const { usage, stored } = await this.load(steadyRate, steady)
    const written = (await this.#walBytes()) - before
    const worker = usage.groups.worker
    return {
      storedPerSecond,
      micros: ((worker?.cpuSeconds ?? 0) * 1e6) / stored,
      bytes: written / stored,
      memoryMiB: worker?.memoryMiB ?? 0,
    }
  }

  async load(rate: number, seconds: number): Promise<LoadRun> {
    const run = await runLoad(this.stack, this.generator, rate, seconds)
    this.verdicts.push(await checkAndClear(this.stack, this.generator))
    return run
  }

  async #walBytes(): Promise<number> {
    const { rows } = await this.stack.owner.query<{ bytes: number }>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`,
    )
    return rows[0]?.bytes ?? 0
  }
}
