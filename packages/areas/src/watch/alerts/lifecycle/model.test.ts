// The alerts of a rule against a naive model, while heartbeats arrive, people act, windows begin and end, and the rule changes.
import { asSystem } from '@muster/db/database.ts'
import { inTransaction } from '@muster/db/transaction.ts'
import { call } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { ownDatabase } from '@muster/testkit/stores.ts'
import { testWorkerParts } from '@muster/testkit/worker-parts.ts'
import { world } from '@muster/testkit/world.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { windows } from '../../../control/maintenance/windows.contract.ts'
import { alerts } from '../alerts.contract.ts'
import { heartbeatRules } from '../evaluation/heartbeats.evaluator.ts'
import { ruleSetsOf } from '../evaluation/rule-sets.ts'
import { rules } from '../rules/rules.contract.ts'
import { type Compared, NaiveAlerts, type NaiveRule, type Step } from '../testing/naive-alerts.ts'
import { followTimes } from './timeouts.jobs.ts'

const withinMs = 10_000

// The service follows the times of all alerts at once, which would disturb other tests.
const database = await ownDatabase()
afterAll(database.drop)
await testServices(database)
const here = await world()
const orgId = here.org.id
const [deviceId = ''] = await enrolled(here.partnerAdmin, { orgId }, 'modeled')
const parts = await testWorkerParts()
const evaluating = heartbeatRules.begin(parts)

const ruleFields = {
  threshold: fc.constantFrom(4, 7),
  forSeconds: fc.constantFrom(0, 0, 100),
  clearForSeconds: fc.constantFrom(0, 0, 100),
  autoResolve: fc.constantFrom(true, true, false),
  reopenSeconds: fc.constantFrom(0, 300),
  severity: fc.constantFrom('high' as const, 'low' as const),
}
const cpu = fc.constantFrom(3, 6, 9)
/** Also an end that comes before the next step. */
const end = fc.option(fc.constantFrom(50, 200))
const edit = fc.record({
  kind: fc.constant('edit' as const),
  change: fc.record({ ...ruleFields, enabled: fc.boolean() }, { requiredKeys: [] }),
  early: fc.option(cpu),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('sample' as const), cpu }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(50, 100, 400) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('takeover' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('acknowledge' as const), seconds: end }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('suppress' as const), seconds: end }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resolve' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('startWindow' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('endWindow' as const) }) },
  { weight: 2, arbitrary: edit },
)

const contractFields = ({ threshold, ...more }: Partial<NaiveRule>) => ({
  ...more,
  ...(threshold !== undefined && {
    conditions: { kind: 'metric' as const, metric: 'cpuPercent' as const, operator: 'gt' as const, threshold },
  }),
})

/** The service itself. */
class Real {
  readonly #ruleId: string
  #memory: object | null = null
  #windowId: string | null = null

  private constructor(ruleId: string) {
    this.#ruleId = ruleId
  }

  static async begin(rule: NaiveRule): Promise<Real> {
    const { threshold, ...more } = rule
    const conditions = { kind: 'metric' as const, metric: 'cpuPercent' as const, operator: 'gt' as const, threshold }
    const { id } = await call(here.orgAdmin, rules.create, {
      ...{ orgId, name: 'Model', targets: { deviceIds: [deviceId] }, conditions },
      ...more,
    })
    await ruleSetsOf(parts).refresh()
    return new Real(id)
  }

  async end(): Promise<void> {
    await this.#endWindow()
    await call(here.orgAdmin, rules.remove, { id: this.#ruleId })
  }

  async all(): Promise<Compared[]> {
    const { rows } = await parts.pool.query<Compared>(
      `SELECT status, resolution, suppression_kind AS suppression, severity, occurrences, holds FROM alerts
       WHERE rule_id = $1 ORDER BY opened_at`,
      [this.#ruleId],
    )
    return rows
  }

  /** @param isAllowed what a person does is refused otherwise */
  async take(step: Step, isAllowed: boolean): Promise<void> {
    if (step.kind === 'sample') await this.#sample(step.cpu)
    else if (step.kind === 'pass') await this.#pass(step.seconds)
    else if (step.kind === 'takeover') this.#memory = null
    else if (step.kind === 'startWindow') await this.#startWindow()
    else if (step.kind === 'endWindow') await this.#endWindow()
    else if (step.kind === 'edit') await this.#edit(step.change, step.early)
    else if (isAllowed) await this.#act(step)
    await followTimes(parts.pool)
  }

  async #sample(value: number): Promise<void> {
    let kept = this.#memory
    const evaluated = await evaluating.evaluate({
      heartbeats: {
        count: 1,
        device: Uint32Array.of(0),
        order: Uint32Array.of(0),
        bootId: Float64Array.of(1),
        sequence: Float64Array.of(1),
        atMs: Float64Array.of(Date.now()),
        figures: [value, ...Array<number>(9).fill(Number.NaN)].map((each) => Float64Array.of(each)),
      },
      earlier: [],
      newest: [0],
      deviceId: () => deviceId,
      partnerOf: () => here.partner.id,
      memoryOf: () => this.#memory,
      keep: (_, memory) => {
        kept = memory
      },
    })
    if (evaluated !== null) await inTransaction(parts.pool, evaluated)
    this.#memory = kept
  }

  /** What is stored happened so much earlier. What a worker remembers is read again. */
  async #pass(seconds: number): Promise<void> {
    const earlier = (...columns: string[]) =>
      sql.raw(columns.map((column) => `${column} = ${column} - interval '${seconds} seconds'`).join())
    const times = ['opened_at', 'last_changed_at', 'resolved_at', 'released_at']
    await asSystem(parts.pool, async (db) => {
      await sql`UPDATE alerts SET ${earlier(...times, 'suppressed_until', 'acknowledged_until')} WHERE rule_id = ${this.#ruleId}`.execute(
        db,
      )
      await sql`UPDATE alert_states SET ${earlier('since')} WHERE rule_id = ${this.#ruleId}`.execute(db)
    })
    this.#memory = null
  }

  async #startWindow(): Promise<void> {
    if (this.#windowId !== null) return
    const given = { orgId, name: 'Model', durationMinutes: 60, targets: { deviceIds: [deviceId] } }
    this.#windowId = (await call(here.orgAdmin, windows.create, given)).id
  }

  async #endWindow(): Promise<void> {
    if (this.#windowId !== null) await call(here.orgAdmin, windows.cancel, { id: this.#windowId })
    this.#windowId = null
  }

  async #edit(change: Partial<NaiveRule>, early: number | null): Promise<void> {
    if (Object.keys(change).length > 0)
      await call(here.orgAdmin, rules.update, { id: this.#ruleId, ...contractFields(change) })
    if (early !== null) await this.#sample(early)
    await ruleSetsOf(parts).refresh()
  }

  async #act(step: Extract<Step, { kind: 'acknowledge' | 'suppress' | 'resolve' }>): Promise<void> {
    const { rows } = await parts.pool.query<{ id: string }>(
      'SELECT id FROM alerts WHERE rule_id = $1 ORDER BY opened_at DESC LIMIT 1',
      [this.#ruleId],
    )
    const id = rows[0]?.id ?? ''
    if (step.kind === 'resolve') await call(here.orgAdmin, alerts.resolve, { id })
    else {
      const until = step.seconds === null ? {} : { until: new Date(Date.now() + step.seconds * 1_000).toISOString() }
      await call(here.orgAdmin, alerts[step.kind], { id, ...until })
    }
  }
}

it('are those of a naive model, for all that people do, on any worker', { timeout: 60_000 }, async () => {
  const rule: fc.Arbitrary<NaiveRule> = fc.record({ ...ruleFields, enabled: fc.constant(true) })
  const steps = fc.array(step, { minLength: 4, maxLength: 20 })
  const property = fc.asyncProperty(rule, steps, async (given, list) => {
    const model = new NaiveAlerts(given)
    const real = await Real.begin(given)
    try {
      for (const [index, each] of list.entries()) {
        const isAllowed =
          each.kind === 'acknowledge' || each.kind === 'suppress' || each.kind === 'resolve'
            ? model.allows(each.kind)
            : true
        model.take(each)
        await real.take(each, isAllowed)
        expect(await real.all(), `after step ${index + 1}`).toEqual(model.all)
      }
    } finally {
      await real.end()
    }
  })
  await fc.assert(property, { numRuns: 10_000, interruptAfterTimeLimit: withinMs })
})
