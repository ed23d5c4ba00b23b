// Devices that are offline for too long. A time slides over the devices that went offline, so nothing is stored when a
// device disconnects, and the devices of a storm are found together.
import { asSystem, type Db, planAnew } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type pg from 'pg'
import { every } from '../../../background/job.ts'
import { type WorkerParts, workerPart } from '../../../background/worker-parts.ts'
import { inTargetsSql } from '../../../fleet/targets/index.ts'
import { TargetChanges } from '../evaluation/target-changes.ts'
import { applyTransitions } from '../evaluation/transitions.ts'
import { noteListening, readOutages } from './listening.ts'
import { restarts } from './restarts.ts'
import { conditionOfKind, enabledRules, type Found, markOf, type ScannedRule, transitionsOf } from './scan.ts'
import { type Span, spansOf, wentInSpan, withSilence } from './silence.ts'
import { followSites } from './site-offline.ts'

/** Transitions per transaction. */
const transitionsAtOnce = 5_000
/** How often all offline devices are looked at, for rules and devices that changed. */
const sweepMs = 30_000
/** How often changes of targets are looked for. */
const targetsMs = 2_000
/** So many transitions take a while, in which further devices are due. */
const stormMin = 500
/** Looks in one run of the job during a storm. */
const looksMax = 20

interface FoundByRule extends Found {
  readonly ruleId: string
}

/** Devices whose deadline passed since the last look, and devices with a state that may change, of all rules. */
async function findOffline(db: Db, spans: readonly Span[]): Promise<FoundByRule[]> {
  const { rows } = await sql<FoundByRule>`WITH ${withSilence(spans)}
    (SELECT r.rule_id, d.id AS device_id, true AS holds, NULL AS phase, NULL::float8 AS since_ms
      FROM ${wentInSpan} JOIN target_sets t ON t.id = r.set_id
      WHERE d.lifecycle = 'active' AND ${sql.raw(inTargetsSql('t', 'd'))}
        AND NOT EXISTS (SELECT FROM alert_states a WHERE a.rule_id = r.rule_id AND a.device_id = d.id)
        AND NOT ${restarts('d')}
      LIMIT ${transitionsAtOnce})
    UNION ALL
    (SELECT a.rule_id, a.device_id, s.status = 'offline' AND d.lifecycle = 'active', a.phase, (extract(epoch FROM a.since) * 1000)::float8
      FROM alert_states a JOIN device_state s ON s.device_id = a.device_id JOIN devices d ON d.id = a.device_id
      WHERE a.rule_id IN (SELECT rule_id FROM spans) AND (a.phase <> 'firing' OR s.status <> 'offline' OR d.lifecycle <> 'active')
      LIMIT ${transitionsAtOnce})`.execute(db)
  return rows
}

/** Whether a device went offline in a span, or has a state. One short statement, because most looks find nothing. */
async function isAnyDue(pool: pg.Pool, spans: readonly Span[]): Promise<boolean> {
  const times = [
    ...new Map(spans.map(({ fromMs, cutoffMs }) => [`${fromMs} ${cutoffMs}`, [fromMs, cutoffMs]])).values(),
  ]
  const { rowCount } = await pool.query({
    name: 'is-silence-due',
    text: `SELECT WHERE EXISTS (SELECT FROM unnest($1::float8[], $2::float8[]) AS p(from_ms, cutoff_ms) CROSS JOIN LATERAL (
        SELECT FROM device_state s WHERE s.status = 'offline' AND s.status_at > to_timestamp(p.from_ms / 1000)
          AND s.status_at <= to_timestamp(p.cutoff_ms / 1000) LIMIT 1) s)
      OR EXISTS (SELECT FROM alert_states WHERE rule_id = ANY ($3::uuid[]))
      OR EXISTS (SELECT FROM alerts WHERE rule_id = ANY ($3::uuid[]) AND holds AND device_id IS NULL)`,
    values: [times.map(([from]) => from), times.map(([, cutoff]) => cutoff), spans.map(({ rule }) => rule.id)],
  })
  return rowCount === 1
}

/** What the worker with this job has looked at. */
export class OfflineWatch {
  readonly #parts: Pick<WorkerParts, 'pool' | 'redis' | 'publish'>
  /** By rule: up to when its devices were looked at, and for which state of the rule. */
  readonly #reached = new Map<string, { readonly mark: string; readonly cutoffMs: number }>()
  readonly #changes: TargetChanges
  #sweptAt = 0
  #targetsAt = 0

  constructor(parts: Pick<WorkerParts, 'pool' | 'redis' | 'publish'>) {
    this.#parts = parts
    this.#changes = new TargetChanges(parts.pool, ['siteOffline'])
  }

  /** @returns whether so many devices changed that more may be due by now */
  async look(nowMs: number): Promise<boolean> {
    const { pool, redis, publish } = this.#parts
    const rules = await asSystem(pool, silenceRules)
    if (!(await noteListening(pool, redis)) || rules.length === 0) return false
    const outages = await readOutages(pool)
    if (nowMs - this.#sweptAt > sweepMs) {
      this.#reached.clear()
      this.#sweptAt = nowMs
    }
    await this.#followTargets(rules, nowMs)
    const spans = spansOf(rules, outages, nowMs, (rule) => {
      const reached = this.#reached.get(rule.id)
      return reached?.mark === markOf(rule) ? reached.cutoffMs : 0
    })
    let isStorm = false
    if (await isAnyDue(pool, spans)) {
      // Alerts of sites open first, because they explain those of their devices.
      await publish(await followSites(pool, spans))
      const count = await this.#followDevices(spans, nowMs)
      if (count === null) return true
      isStorm = count >= stormMin
    }
    for (const { rule, cutoffMs } of spans) this.#reached.set(rule.id, { mark: markOf(rule), cutoffMs })
    return isStorm
  }

  /** The share of a site that is offline also changes when devices join or leave the targets of a rule. */
  async #followTargets(rules: readonly ScannedRule[], nowMs: number): Promise<void> {
    const ofSites = rules.filter((rule) => conditionOfKind(rule, 'siteOffline') !== null)
    if (ofSites.length === 0 || nowMs - this.#targetsAt < targetsMs) return
    this.#targetsAt = nowMs
    const { partnerIds, deviceIds } = await this.#changes.look()
    for (const { id, partnerId } of ofSites)
      if (deviceIds.length > 0 || partnerIds.includes(partnerId)) this.#reached.delete(id)
  }

  /** @returns how many were found; null if rules changed meanwhile: nothing is applied of them, so their devices are looked at again */
  async #followDevices(all: readonly Span<ScannedRule>[], nowMs: number): Promise<number | null> {
    const { pool, publish } = this.#parts
    const spans = all.filter(({ rule }) => conditionOfKind(rule, 'offline') !== null)
    let total = 0
    for (let count = transitionsAtOnce; count >= transitionsAtOnce; ) {
      const events = await asSystem(pool, async (db) => {
        const [, found] = await Promise.all([planAnew(db), findOffline(db, spans)])
        count = found.length
        const byRule = Map.groupBy(found, ({ ruleId }) => ruleId)
        return applyTransitions(
          db,
          spans.flatMap(({ rule }) => transitionsOf(rule, byRule.get(rule.id) ?? [], nowMs)),
        )
      })
      await publish(events)
      total += count
      if (count >= transitionsAtOnce && (await this.#areChanged(all))) return null
    }
    return total
  }

  async #areChanged(spans: readonly Span<ScannedRule>[]): Promise<boolean> {
    const marks = new Set((await asSystem(this.#parts.pool, silenceRules)).map((rule) => `${rule.id} ${markOf(rule)}`))
    return !spans.every(({ rule }) => marks.has(`${rule.id} ${markOf(rule)}`))
  }
}

const silenceRules = (db: Db) => enabledRules(db, 'offline', 'siteOffline')

const watchOf = workerPart((parts) => new OfflineWatch(parts))

export const offlineAlerts = every(1_000, 'alert-offline', async (parts) => {
  let isStorm = true
  for (let looks = 0; isStorm && looks < looksMax; looks++) isStorm = await watchOf(parts).look(Date.now())
})
