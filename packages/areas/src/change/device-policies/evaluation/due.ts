// What is judged again about a device, of which other parts or other rules are in effect than before.
import { isFactRule } from '../rules/fact-rules.rules.ts'
import { type Part, partOf } from '../rules/judge.rules.ts'
import type { Rule } from '../rules/rules.contract.ts'
import type { Effects } from './device-states.ts'
import { dueRules } from './pairs.rules.ts'
import type { Plan, PlannedPolicy } from './plan.ts'

export interface Due {
  /** By policy. Policies without such rules are left out. */
  readonly rules: ReadonlyMap<string, readonly Rule[]>
  /** Of the facts that they use. */
  readonly parts: ReadonlySet<Part>
  /** The policies that applied before and do no more. */
  readonly ended: readonly string[]
  /** Whether every result is looked at. */
  readonly isWhole: boolean
  /** Whether the device may have to watch other facts. */
  readonly asksOthers: boolean
}

/** @param before by the last evaluation */
export function dueOf({ applied }: Plan, before: Effects, parts: ReadonlySet<string>): Due {
  const isOther = (id: string, { effect }: PlannedPolicy) => before[id] !== effect
  const rules = new Map<string, readonly Rule[]>()
  let asksOthers = parts.has('all')
  for (const [id, planned] of applied) {
    const due = dueRules(planned.rules, isOther(id, planned), parts)
    if (due.length > 0) rules.set(id, due)
    asksOthers ||= isOther(id, planned) && (id in before || planned.rules.some(isFactRule))
  }
  const ended = Object.keys(before).filter((id) => !applied.has(id))
  return {
    rules,
    parts: new Set([...rules.values()].flatMap((due) => due.map(({ type }) => partOf[type]))),
    ended,
    isWhole: parts.has('all') || parts.has('exceptions'),
    asksOthers: asksOthers || ended.length > 0,
  }
}
