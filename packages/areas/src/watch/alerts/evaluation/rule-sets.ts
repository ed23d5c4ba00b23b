// The rules on heartbeats in the memory of a worker, and which of them apply to which device.
import type { Log } from '@muster/kit/log.ts'
import type pg from 'pg'
import { everywhere } from '../../../background/job.ts'
import { workerPart } from '../../../background/worker-parts.ts'
import { inTargetsSql } from '../../../fleet/targets/index.ts'
import { ConditionsInput, isMetricTree, metricNames } from '../rules/conditions.contract.ts'
import { compileRules, type MetricRule, type RuleSet } from './compile.ts'
import { phaseNames } from './evaluate.ts'
import { figureColumns } from './metric-columns.ts'
import { createValues, takeSample } from './sample.ts'
import { changedDevicesMax, TargetChanges } from './target-changes.ts'
import { type Watched, watch } from './watched.ts'

/** How often workers look for changed rules. */
const lookMs = 2_000

const readRules = {
  name: 'read-metric-rules',
  text: `SELECT r.id, r.version, r.partner_id AS "partnerId", r.conditions, r.for_seconds AS "forSeconds",
      r.clear_for_seconds AS "clearForSeconds"
    FROM alert_rules r WHERE r.kind = 'metric' AND r.enabled ORDER BY r.id`,
}

const learnRules = {
  name: 'learn-rules',
  text: `SELECT d.id AS "deviceId", array_agg(r.id ORDER BY r.id) AS "ruleIds"
    FROM unnest($1::uuid[]) AS u(id) JOIN devices d ON d.id = u.id
    JOIN alert_rules r ON r.partner_id = d.partner_id AND r.kind = 'metric' AND r.enabled
    JOIN target_sets t ON t.id = r.target_set_id
    WHERE ${inTargetsSql('t', 'd')} GROUP BY d.id`,
}

const learnStates = {
  name: 'learn-rule-states',
  text: `SELECT s.device_id AS "deviceId", s.rule_id AS "ruleId", s.phase, (extract(epoch FROM s.since) * 1000)::float8 AS "sinceMs"
    FROM alert_states s WHERE s.device_id = ANY($1::uuid[])`,
}

const learnSamples = {
  name: 'learn-rule-samples',
  text: `SELECT m.device_id AS "deviceId", (extract(epoch FROM m.at) * 1000)::float8 AS "atMs",
      ARRAY[${figureColumns.map((column) => `m.${column}`).join(', ')}]::float8[] AS figures
    FROM unnest($1::uuid[]) AS u(id) JOIN device_metrics m ON m.device_id = u.id AND m.at > now() - make_interval(secs => $2)
    ORDER BY m.at`,
}

interface RuleRow extends MetricRule {
  readonly partnerId: string
}
interface StateRow {
  readonly deviceId: string
  readonly ruleId: string
  readonly phase: (typeof phaseNames)[number]
  readonly sinceMs: number
}

/** How far back stored samples are read for windows and rates: behind the begin of the longest window. */
export const storedMs = ({ windows }: RuleSet): number => Math.max(300_000, ...windows.map(({ ms }) => ms * 1.5))

export class RuleSets {
  readonly #pool: pg.Pool
  readonly #log: Log
  #rules: ReadonlyMap<string, RuleRow> = new Map()
  readonly #changes: TargetChanges
  /** Rule sets by the rules in them, and the shared memory of devices that need none of their own. */
  readonly #sets = new Map<string, RuleSet>()
  readonly #shared = new Map<RuleSet, Watched>()
  readonly #nothing = compileRules([])
  /** Counts changes. Memory of an older epoch than that of its partner or device is outdated. */
  #epoch = 1
  readonly #partnerEpochs = new Map<string, number>()
  readonly #deviceEpochs = new Map<string, number>()
  /** The first look. Before it ends, it is unknown which rules there are. */
  #begun: Promise<void> | null = null

  constructor(pool: pg.Pool, log: Log) {
    this.#pool = pool
    this.#log = log
    this.#changes = new TargetChanges(pool, ['metric'])
  }

  /** Whether any device has rules, had some a moment ago, or may have some. */
  get isDue(): boolean {
    return this.#begun === null || this.#partnerEpochs.size > 0
  }

  /** Resolves when the rules were read once. */
  async begin(): Promise<void> {
    this.#begun ??= this.refresh()
    try {
      await this.#begun
    } catch (error) {
      this.#begun = null
      throw error
    }
  }

  isCurrent(watched: Watched, deviceId: () => string, partnerId: string): boolean {
    if (watched.epoch < (this.#partnerEpochs.get(partnerId) ?? 0)) return false
    return this.#deviceEpochs.size === 0 || watched.epoch >= (this.#deviceEpochs.get(deviceId()) ?? 0)
  }

  /** Finds out what changed since the last look. */
  async refresh(): Promise<void> {
    const { partnerIds, deviceIds } = await this.#changes.look()
    if (partnerIds.length > 0) {
      const { rows } = await this.#readRules()
      this.#rules = new Map(rows.map((row) => [row.id, row]))
      this.#sets.clear()
      this.#shared.clear()
      this.#log.debug({ rules: rows.length, partners: partnerIds.length }, 'Alert rules changed')
    }
    this.#outdate(partnerIds, deviceIds)
  }

  async #readRules(): Promise<pg.QueryResult<RuleRow>> {
    try {
      return await this.#pool.query<RuleRow>(readRules)
    } catch (error) {
      this.#changes.forget()
      throw error
    }
  }

  #outdate(partnerIds: readonly string[], deviceIds: readonly string[]): void {
    if (partnerIds.length === 0 && deviceIds.length === 0) return
    this.#epoch++
    for (const id of partnerIds) this.#partnerEpochs.set(id, this.#epoch)
    for (const id of deviceIds) this.#deviceEpochs.set(id, this.#epoch)
    if (this.#deviceEpochs.size <= changedDevicesMax) return
    this.#deviceEpochs.clear()
    for (const id of this.#partnerEpochs.keys()) this.#partnerEpochs.set(id, this.#epoch)
  }

  /** What the memory says about these devices was not stored. */
  forget(deviceIds: readonly string[]): void {
    this.#outdate([], deviceIds)
  }

  /** Reads which rules apply to devices, and in which phases they are. */
  async learn(deviceIds: readonly string[]): Promise<Map<string, Watched>> {
    // What changes from here on outdates the result.
    const epoch = this.#epoch
    const [found, states] = await Promise.all([
      this.#pool.query<{ deviceId: string; ruleIds: string[] }>({ ...learnRules, values: [deviceIds] }),
      this.#pool.query<StateRow>({ ...learnStates, values: [deviceIds] }),
    ])
    const sets = new Map(found.rows.map(({ deviceId, ruleIds }) => [deviceId, this.#setOf(ruleIds)]))
    const statesOf = Map.groupBy(states.rows, ({ deviceId }) => deviceId)
    const learned = new Map<string, Watched>()
    for (const deviceId of deviceIds)
      learned.set(deviceId, this.#watch(epoch, sets.get(deviceId) ?? this.#nothing, statesOf.get(deviceId) ?? []))
    await this.#addSamples(learned)
    return learned
  }

  #setOf(ruleIds: readonly string[]): RuleSet {
    const known = ruleIds.flatMap((id) => this.#rules.get(id) ?? [])
    const key = known.map(({ id, version }) => `${id} ${version}`).join()
    const set = this.#sets.get(key) ?? compileRules(known.flatMap(checked))
    this.#sets.set(key, set)
    return set
  }

  #watch(epoch: number, rules: RuleSet, states: readonly StateRow[]): Watched {
    const relevant = states.filter(({ ruleId }) => rules.rules.some(({ id }) => id === ruleId))
    if (relevant.length > 0) {
      const phases = new Uint8Array(rules.rules.length)
      const sinceMs = new Float64Array(rules.rules.length)
      for (const { ruleId, phase, sinceMs: since } of relevant) {
        const index = rules.rules.findIndex(({ id }) => id === ruleId)
        phases[index] = Math.max(0, phaseNames.indexOf(phase))
        sinceMs[index] = since
      }
      return watch(epoch, rules, phases, sinceMs)
    }
    if (rules.usesRates || rules.windows.length > 0) return watch(epoch, rules)
    const shared = this.#shared.get(rules)
    if (shared !== undefined && shared.epoch >= epoch) return shared
    const made = watch(epoch, rules)
    this.#shared.set(rules, made)
    return made
  }

  /** Fills windows and counters from the stored heartbeats. */
  async #addSamples(learned: ReadonlyMap<string, Watched>): Promise<void> {
    const due = [...learned].filter(([, { windows, counters }]) => windows !== null || counters !== null)
    if (due.length === 0) return
    const seconds = Math.max(...due.map(([, { rules }]) => storedMs(rules))) / 1_000
    const { rows } = await this.#pool.query<{ deviceId: string; atMs: number; figures: (number | null)[] }>({
      ...learnSamples,
      values: [due.map(([deviceId]) => deviceId), seconds],
    })
    const values = createValues()
    for (const { deviceId, atMs, figures } of rows) {
      const watched = learned.get(deviceId)
      const columns = figures.map((figure) => Float64Array.of(figure ?? Number.NaN))
      if (watched !== undefined) takeSample(values, columns, 0, watched, atMs)
    }
  }
}

/** A stored rule whose conditions this version understands. */
function checked({ conditions, ...rule }: RuleRow): MetricRule[] {
  const parsed = ConditionsInput.safeParse(conditions)
  return parsed.success && isMetricTree(parsed.data) ? [{ ...rule, conditions: parsed.data }] : []
}

export const ruleSetsOf = workerPart(({ pool, log }) => new RuleSets(pool, log))

/** Rules act within five seconds of a change. */
export const ruleChanges = everywhere(lookMs, 'alert-rule-changes', (parts) => ruleSetsOf(parts).refresh())

/** The names of the metrics, for descriptions of what a leaf compared. */
export const metricAt = (index: number) => metricNames[index] ?? 'cpuPercent'
