// Evaluates devices: which policies apply to them, and which of the rules they keep. Only what a change concerns is judged.
import type { Db } from '@muster/db/database.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { type Facts, type Part, partOf } from '../rules/judge.rules.ts'
import type { Rule } from '../rules/rules.contract.ts'
import { activePolicies, policyMarks } from './active-policies.queries.ts'
import { answersOf, assignFactsTo } from './device-facts.ts'
import {
  disksOf,
  type EvaluatedDevice,
  exceptionsOf,
  lockStates,
  placedDevices,
  softwareOf,
  storedResults,
} from './devices.queries.ts'
import { dueRules, type Excepted, findingsOf, type StoredResult, statusOf } from './pairs.rules.ts'
import { noPlan, type Plan, PolicyBook } from './plan.ts'
import { type ChangedPair, storeChanges } from './store-changes.ts'
import { storeSets } from './store-sets.ts'

/** The parts that changed, by device. `all` judges every rule again. */
export type Changed = ReadonlyMap<string, ReadonlySet<string>>

/** The policies of partners, kept from one evaluation to the next. */
export class PolicyBooks {
  readonly #books = new Map<string, { readonly mark: string; readonly book: PolicyBook }>()

  /** The books as they are in the open transaction. */
  async read(db: Db, partnerIds: readonly string[]): Promise<ReadonlyMap<string, PolicyBook>> {
    const marks = await policyMarks(db, partnerIds)
    const stale = [...marks].flatMap(([id, mark]) => (this.#books.get(id)?.mark === mark ? [] : [id]))
    const fresh = stale.length === 0 ? [] : await activePolicies(db, stale)
    const byPartner = Map.groupBy(fresh, ({ partnerId }) => partnerId)
    for (const id of stale) {
      const book = new PolicyBook(byPartner.get(id) ?? [])
      this.#books.set(id, { mark: marks.get(id) ?? '', book })
    }
    for (const id of partnerIds) if (!marks.has(id)) this.#books.delete(id)
    return new Map(partnerIds.map((id) => [id, this.#books.get(id)?.book ?? noPlan]))
  }
}

/** What to judge again. */
interface Due {
  /** By policy. Policies without such rules are left out. */
  readonly rules: ReadonlyMap<string, readonly Rule[]>
  /** Of the facts that they use. */
  readonly parts: ReadonlySet<Part>
  /** Whether other rules are in effect than before. */
  readonly isOther: boolean
}

function dueOf({ applied }: Plan, before: Readonly<Record<string, string>>, parts: ReadonlySet<string>): Due {
  const isOther = ([id, { effect }]: readonly [string, { readonly effect: string }]) => before[id] !== effect
  const rules = [...applied].flatMap((each) => {
    const due = dueRules(each[1].rules, isOther(each), parts)
    return due.length === 0 ? [] : [[each[0], due] as const]
  })
  return {
    rules: new Map(rules),
    parts: new Set(rules.flatMap(([, due]) => due.map(({ type }) => partOf[type]))),
    isOther: applied.size !== Object.keys(before).length || [...applied].some(isOther),
  }
}

/** A device with everything that is known about its policies. */
interface Evaluated {
  readonly device: EvaluatedDevice
  readonly plan: Plan
  readonly due: Due
  readonly effectsBefore: Readonly<Record<string, string>>
  readonly results: ReadonlyMap<string, StoredResult>
  readonly excepted: ReadonlyMap<string, Excepted>
}

/** Runs in one transaction. @returns the live events to publish after the commit */
export async function evaluateDevices(db: Db, changed: Changed, books: PolicyBooks): Promise<PartnerEvent[]> {
  const ids = [...changed.keys()]
  if (ids.length === 0) return []
  const states = await lockStates(db, ids)
  const devices = await placedDevices(db, ids)
  const byPartner = await books.read(db, [...new Set(devices.map(({ partnerId }) => partnerId))])
  const [results, exceptions] = await Promise.all([storedResults(db, ids), exceptionsOf(db, ids)])
  // Most devices share their policies and what changed.
  const dues = new Map<string, Due>()
  const evaluated = devices.map((device): Evaluated => {
    const plan = (byPartner.get(device.partnerId) ?? noPlan).planFor(device)
    const { setId = null, effects: effectsBefore = {} } = states.get(device.id) ?? {}
    const parts = changed.get(device.id) ?? new Set()
    const key = JSON.stringify([plan.hash, setId, [...parts].sort()])
    const due = dues.get(key) ?? dueOf(plan, effectsBefore, parts)
    dues.set(key, due)
    return {
      ...{ device, plan, effectsBefore, due },
      results: results.get(device.id) ?? new Map(),
      excepted: exceptions.get(device.id) ?? new Map(),
    }
  })
  const pairs = await changedPairs(db, evaluated)
  await assignFactsTo(
    db,
    evaluated.filter(({ device, due }) => due.isOther || (changed.get(device.id)?.has('all') ?? false)),
  )
  await storeSets(db, evaluated)
  return storeChanges(db, pairs)
}

async function changedPairs(db: Db, evaluated: readonly Evaluated[]): Promise<ChangedPair[]> {
  const need = (part: Part) => evaluated.flatMap(({ device, due }) => (due.parts.has(part) ? [device.id] : []))
  const [software, disks, answers] = await Promise.all([
    softwareOf(db, need('software')),
    disksOf(db, need('disks')),
    answersOf(db, need('facts')),
  ])
  return evaluated.flatMap((each) => {
    const { device } = each
    const known = {
      osVersion: device.osVersion,
      software: software.get(device.id) ?? null,
      disks: disks.get(device.id) ?? null,
    }
    const matching = new Set(device.filterSetIds)
    const facts = (rule: Rule, setId: string | undefined): Facts => ({
      ...known,
      matches: setId !== undefined && matching.has(setId),
      answer: answers.about(device.id, rule),
    })
    return [
      ...[...new Set([...each.due.rules.keys(), ...each.results.keys()])].flatMap(
        (policyId) => pairAfter(each, policyId, facts) ?? [],
      ),
      ...[...each.results.keys()].flatMap((policyId) => endedPair(each, policyId) ?? []),
    ]
  })
}

/** The pair of a policy that applies; null if nothing about it changed. */
function pairAfter(
  each: Evaluated,
  policyId: string,
  facts: (rule: Rule, setId: string | undefined) => Facts,
): ChangedPair | null {
  const { device, plan, due, effectsBefore, results, excepted } = each
  const planned = plan.applied.get(policyId)
  if (planned === undefined) return null
  const { policy, rules, effect } = planned
  const stored = results.get(policyId)
  const isDue = due.rules.get(policyId) ?? []
  if (isDue.length === 0 && stored === undefined) return null
  const kept = effectsBefore[policyId] === effect ? (stored?.findings ?? []) : []
  const findings = findingsOf(rules, isDue, kept, (rule) => facts(rule, policy.ruleFilters.get(rule.key)))
  const exception = excepted.get(policyId)
  const status = statusOf(findings, exception)
  const before = stored?.status ?? (policyId in effectsBefore ? 'compliant' : 'not_applicable')
  const warns = policy.mode === 'warn'
  const alerted = stored?.alerted ?? false
  const raises = warns && status === 'non_compliant'
  // While it is not known whether the device complies, an alert stays open.
  const clears = !warns || status === 'compliant' || status === 'exempt'
  const alert = raises && !alerted ? 'raise' : clears && alerted ? 'clear' : null
  const isSame =
    alert === null &&
    (status === before || (before === 'not_applicable' && status === 'compliant')) &&
    JSON.stringify(findings) === JSON.stringify(stored?.findings ?? [])
  return isSame
    ? null
    : { device, policyId, policyName: policy.name, before, status, findings, exception, alert, alerted }
}

/** The pair of a policy that applied before and does no more; null if it still applies. */
function endedPair({ device, plan, results }: Evaluated, policyId: string): ChangedPair | null {
  const stored = results.get(policyId)
  if (plan.applied.has(policyId) || stored === undefined) return null
  const { status: before, alerted } = stored
  return {
    ...{ device, policyId, policyName: null, before, alerted },
    ...{
      status: 'not_applicable' as const,
      findings: [],
      exception: undefined,
      alert: alerted ? ('clear' as const) : null,
    },
  }
}
