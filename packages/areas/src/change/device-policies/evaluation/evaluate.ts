// Evaluates devices: which policies apply to them, and which of the rules they keep. Only what a change concerns is judged.
import { setImmediate } from 'node:timers/promises'
import type { Db } from '@muster/db/database.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import type { Facts, Part } from '../rules/judge.rules.ts'
import type { Rule } from '../rules/rules.contract.ts'
import { setSettings } from '../settings/set-settings.ts'
import { answersOf, assignFactsTo } from './device-facts.ts'
import { type Effects, type KnownSet, lockStates, noEffects } from './device-states.ts'
import {
  disksOf,
  type EvaluatedDevice,
  exceptionsOf,
  placedDevices,
  softwareOf,
  storedResults,
} from './devices.queries.ts'
import { type Due, dueOf } from './due.ts'
import { type Excepted, findingsOf, type StoredResult, statusOf } from './pairs.rules.ts'
import { noPlan, type Plan } from './plan.ts'
import type { PolicyBooks } from './policy-books.ts'
import { type ChangedPair, storeChanges } from './store-changes.ts'
import { storeSets } from './store-sets.ts'

/** The parts that changed, by device. `all` judges every rule again. */
export type Changed = ReadonlyMap<string, ReadonlySet<string>>

/** A device with what is due about it. */
interface Evaluated {
  readonly device: EvaluatedDevice
  readonly plan: Plan
  readonly due: Due
  readonly effectsBefore: Effects
  /** Whether the same policies apply as before, in the same way. */
  readonly hasSame: boolean
}

/** What is stored about the policies of a device. */
interface Known {
  readonly results: ReadonlyMap<string, StoredResult>
  readonly excepted: ReadonlyMap<string, Excepted>
}

/** Runs in one transaction. @returns the live events to publish after the commit */
export async function evaluateDevices(db: Db, changed: Changed, books: PolicyBooks): Promise<PartnerEvent[]> {
  const ids = [...changed.keys()]
  if (ids.length === 0) return []
  const evaluated = await placed(db, changed, books)
  const pairs = await changedPairs(db, evaluated)
  await assignFactsTo(
    db,
    evaluated.filter(({ due }) => due.asksOthers),
  )
  const set = await setSettings(
    db,
    evaluated.filter(({ device, hasSame }) => !hasSame || changed.get(device.id)?.has('all') === true),
  )
  await storeSets(db, evaluated)
  return [...set, ...(await storeChanges(db, pairs))]
}

/** The devices with the policies that apply to them now, and what is due by these and by what changed. */
async function placed(db: Db, changed: Changed, books: PolicyBooks): Promise<Evaluated[]> {
  const ids = [...changed.keys()]
  const setIds = await lockStates(db, ids)
  const devices = await placedDevices(db, ids)
  const [byPartner, sets] = await Promise.all([
    books.read(db, [...new Set(devices.map(({ partnerId }) => partnerId))]),
    books.sets.read(db, [...new Set([...setIds.values()].flatMap((id) => id ?? []))]),
  ])
  const found = devices.map((device) => {
    const setId = setIds.get(device.id) ?? null
    const before: KnownSet | undefined = setId === null ? undefined : sets.get(setId)
    const plan = (byPartner.get(device.partnerId) ?? noPlan).planFor(device)
    const hasSame = before?.hash === plan.hash && before.orgId === device.orgId
    return { device, plan, setId, hashBefore: before?.hash ?? null, hasSame }
  })
  const effects = await books.sets.effectsOf(
    db,
    new Map(
      found.flatMap(({ hashBefore, setId }) => (hashBefore === null || setId === null ? [] : [[hashBefore, setId]])),
    ),
  )
  // Most devices share their policies and what changed.
  const dues = new Map<string, Due>()
  return found.map(({ device, plan, hashBefore, hasSame }): Evaluated => {
    const parts = changed.get(device.id) ?? new Set()
    const effectsBefore = (hashBefore === null ? undefined : effects.get(hashBefore)) ?? noEffects
    const key = JSON.stringify([plan.hash, hashBefore, [...parts].sort()])
    const due = dues.get(key) ?? dueOf(plan, effectsBefore, parts)
    dues.set(key, due)
    return { device, plan, effectsBefore, due, hasSame }
  })
}

/** With more kinds of changes than these, one statement for all of them reads less. */
const fewKinds = 12

/** The stored results that can change. */
async function resultsOf(db: Db, evaluated: readonly Evaluated[]): Promise<Map<string, Map<string, StoredResult>>> {
  const byDue = [...Map.groupBy(evaluated, ({ due }) => due)]
  const idsOf = (some: readonly Evaluated[]) => some.map(({ device }) => device.id)
  const whole = byDue.flatMap(([due, its]) => (due.isWhole ? idsOf(its) : []))
  const others = byDue.flatMap(([{ isWhole, rules, ended }, its]) =>
    isWhole ? [] : [{ policyIds: [...rules.keys(), ...ended], deviceIds: idsOf(its) }],
  )
  const together = {
    policyIds: [...new Set(others.flatMap(({ policyIds }) => policyIds))],
    deviceIds: others.flatMap(({ deviceIds }) => deviceIds),
  }
  const found = await Promise.all([
    storedResults(db, whole, null),
    ...(others.length > fewKinds ? [together] : others).map(({ policyIds, deviceIds }) =>
      storedResults(db, deviceIds, policyIds),
    ),
  ])
  return new Map(found.flat())
}

/** The software that rules are about, in lower case; null if some of them look for parts of names. */
function softwareNames(rules: readonly Rule[]): ReadonlySet<string> | null {
  const names = new Set<string>()
  for (const rule of rules) {
    if (rule.type !== 'software.required' && rule.type !== 'software.prohibited') continue
    if (rule.match !== 'exact') return null
    names.add(rule.software.toLowerCase())
  }
  return names
}

/** Devices are judged for so long before other work of the process gets its turn. */
const turnMs = 20

async function changedPairs(db: Db, evaluated: readonly Evaluated[]): Promise<ChangedPair[]> {
  const need = (part: Part) => evaluated.flatMap(({ device, due }) => (due.parts.has(part) ? [device.id] : []))
  const rules = [...new Set(evaluated.map(({ due }) => due))].flatMap((due) => [...due.rules.values()].flat())
  const ids = evaluated.map(({ device }) => device.id)
  const [results, exceptions, software, disks, answers] = await Promise.all([
    resultsOf(db, evaluated),
    exceptionsOf(db, ids),
    softwareOf(db, need('software'), softwareNames(rules)),
    disksOf(db, need('disks')),
    answersOf(db, need('facts'), rules),
  ])
  const pairs: ChangedPair[] = []
  let endMs = performance.now() + turnMs
  for (const each of evaluated) {
    const { device, due } = each
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
    const stored: Known = {
      results: results.get(device.id) ?? new Map(),
      excepted: exceptions.get(device.id) ?? new Map(),
    }
    for (const policyId of due.rules.keys()) pairs.push(...pairAfter(each, stored, policyId, facts))
    for (const [policyId, result] of stored.results)
      if (!due.rules.has(policyId))
        pairs.push(
          ...(each.plan.applied.has(policyId)
            ? pairAfter(each, stored, policyId, facts)
            : [endedPair(device, policyId, result)]),
        )
    if (performance.now() > endMs) {
      await setImmediate()
      endMs = performance.now() + turnMs
    }
  }
  return pairs
}

const none: readonly ChangedPair[] = []

/** The pair of a policy that applies; empty if nothing about it changed. */
function pairAfter(
  { device, plan, due, effectsBefore }: Evaluated,
  { results, excepted }: Known,
  policyId: string,
  facts: (rule: Rule, setId: string | undefined) => Facts,
): readonly ChangedPair[] {
  const planned = plan.applied.get(policyId)
  if (planned === undefined) return none
  const { policy, rules, effect } = planned
  const stored = results.get(policyId)
  const kept = effectsBefore[policyId] === effect ? (stored?.findings ?? []) : []
  const findings = findingsOf(rules, due.rules.get(policyId) ?? [], kept, (rule) =>
    facts(rule, policy.ruleFilters.get(rule.key)),
  )
  if (findings.length === 0 && stored === undefined) return none
  const exception = excepted.get(policyId)
  const status = statusOf(findings, exception)
  const before = stored?.status ?? (policyId in effectsBefore ? 'compliant' : 'not_applicable')
  const warns = policy.mode !== 'monitor'
  const alerted = stored?.alerted ?? false
  const raises = warns && status === 'non_compliant'
  // While it is not known whether the device complies, an alert stays open.
  const clears = !warns || status === 'compliant' || status === 'exempt'
  const alert = raises && !alerted ? 'raise' : clears && alerted ? 'clear' : null
  const isSame =
    alert === null && status === before && JSON.stringify(findings) === JSON.stringify(stored?.findings ?? [])
  if (isSame) return none
  return [{ device, policyId, policyName: policy.name, before, status, findings, exception, alert, alerted }]
}

/** The pair of a policy that applied before and does no more. */
function endedPair(device: EvaluatedDevice, policyId: string, { status: before, alerted }: StoredResult): ChangedPair {
  const alert = alerted ? ('clear' as const) : null
  const ended = { policyName: null, status: 'not_applicable' as const, findings: [], exception: undefined }
  return { device, policyId, ...ended, before, alert, alerted }
}
