// What an evaluation makes of a pair of a policy and a device.
import type { ComplianceStatus } from '../compliance/counts.contract.ts'
import { type Facts, judge, type Part, partOf } from '../rules/judge.rules.ts'
import type { Rule, RuleSeverity } from '../rules/rules.contract.ts'

/** A rule that is not kept, or not judged yet. */
export interface Finding {
  readonly key: string
  readonly type: string
  readonly severity: RuleSeverity
  readonly message: string | null
  readonly status: 'non_compliant' | 'error' | 'pending'
  readonly expected: string
  readonly actual: string | null
}

/** The stored result of a pair that is not compliant. */
export interface StoredResult {
  readonly status: Exclude<ComplianceStatus, 'compliant' | 'not_applicable'>
  readonly findings: readonly Finding[]
  readonly alerted: boolean
}

/** The rules that an exception is about: keys, or all. */
export type Excepted = 'all' | ReadonlySet<string>

/** Those of the rules that a change concerns; all of them if the policy is in effect in another way than before. */
export const dueRules = (rules: readonly Rule[], isOther: boolean, parts: ReadonlySet<string>): readonly Rule[] =>
  isOther || parts.has('all') ? rules : rules.filter(({ type }) => parts.has(partOf[type] satisfies Part))

/** The findings of a pair after the due rules were judged again. Those of the other rules stay. */
export function findingsOf(
  rules: readonly Rule[],
  due: readonly Rule[],
  stored: readonly Finding[],
  factsFor: (rule: Rule) => Facts,
): readonly Finding[] {
  const judged = due.flatMap((rule): Finding[] => {
    const { status, expected, actual } = judge(rule, factsFor(rule))
    const { key, type, severity, message } = rule
    return status === 'compliant' ? [] : [{ key, type, severity, message, status, expected, actual }]
  })
  // Most pairs comply before and afterwards, and in most of the others all rules are due.
  if (stored.length === 0 && judged.length <= 1) return judged
  if (due.length === rules.length) return judged
  const dueKeys = new Set(due.map(({ key }) => key))
  const byKey = new Map(
    [...stored.filter(({ key }) => !dueKeys.has(key)), ...judged].map((found) => [found.key, found]),
  )
  return rules.flatMap(({ key }) => byKey.get(key) ?? [])
}

const isExcepted = (excepted: Excepted | undefined, key: string): boolean =>
  excepted === 'all' || (excepted?.has(key) ?? false)

/** The findings that no exception covers. */
export const openFindings = (findings: readonly Finding[], excepted: Excepted | undefined): readonly Finding[] =>
  findings.filter(({ key }) => !isExcepted(excepted, key))

/** The worst of the open findings; `exempt` if exceptions cover all of them. */
export function statusOf(
  findings: readonly Finding[],
  excepted: Excepted | undefined,
): StoredResult['status'] | 'compliant' {
  if (findings.length === 0) return 'compliant'
  const open = openFindings(findings, excepted)
  for (const status of ['non_compliant', 'error', 'pending'] as const)
    if (open.some((finding) => finding.status === status)) return status
  return 'exempt'
}
