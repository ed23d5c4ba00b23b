import type { ComplianceStatus } from '@muster/areas/change/device-policies/compliance/counts.contract.ts'
import type { Policy, PolicyMode } from '@muster/areas/change/device-policies/policies.contract.ts'
import type { Level } from '@muster/areas/change/device-policies/resolve/levels.contract.ts'
import type { RuleSeverity } from '@muster/areas/change/device-policies/rules/rules.contract.ts'
import { Ban, Check, CircleDashed, CircleSlash, type LucideIcon, ShieldOff, TriangleAlert } from 'lucide-react'
import { Badge, type Tone } from '../../../ui/page/display.tsx'

type PolicyStatus = Policy['status']

export const policyStatuses: readonly (readonly [PolicyStatus, string])[] = [
  ['draft', 'Draft'],
  ['active', 'Active'],
  ['inactive', 'Inactive'],
  ['awaiting_approval', 'Awaiting approval'],
]
const policyTones: Readonly<Record<PolicyStatus, Tone>> = {
  draft: 'info',
  active: 'good',
  inactive: 'plain',
  awaiting_approval: 'warn',
}
const policyWords = new Map(policyStatuses)

export const PolicyBadge = ({ status }: { readonly status: PolicyStatus }) => (
  <Badge tone={policyTones[status]}>{policyWords.get(status)}</Badge>
)

export const modes: readonly (readonly [PolicyMode, string])[] = [
  ['monitor', 'Monitor'],
  ['warn', 'Warn'],
  ['enforce', 'Enforce'],
]
const modeWords = new Map<string, string>(modes)
export const modeText = (mode: string): string => modeWords.get(mode) ?? mode

export const modeHints: Readonly<Record<PolicyMode, string>> = {
  monitor: 'Notes which devices do not comply',
  warn: 'Also opens alerts, and resolves them',
  enforce: 'Also sends the remediations of its rules',
}

/** In the order in which they need attention, each with a mark of its own shape. */
export const compliances: readonly (readonly [ComplianceStatus, string, Tone, LucideIcon])[] = [
  ['non_compliant', 'Not compliant', 'bad', Ban],
  ['error', 'Error', 'warn', TriangleAlert],
  ['pending', 'Pending', 'info', CircleDashed],
  ['exempt', 'Exempt', 'plain', ShieldOff],
  ['compliant', 'Compliant', 'good', Check],
  ['not_applicable', 'Not applicable', 'plain', CircleSlash],
]
export const complianceOptions = compliances.map(([status, word]) => [status, word] as const)
const complianceOf = new Map(compliances.map((each) => [each[0], each]))

export function ComplianceBadge({ status }: { readonly status: ComplianceStatus }) {
  const [, word = status, tone = 'plain', Icon = Check] = complianceOf.get(status) ?? []
  return (
    <Badge tone={tone}>
      <Icon aria-hidden className="size-3" />
      {word}
    </Badge>
  )
}

const levelWords: Readonly<Record<Level, string>> = {
  device: 'Device',
  group: 'Group',
  site: 'Site',
  organization: 'Organization',
  partner: 'Partner',
}
export const levelText = (level: Level): string => levelWords[level]

export const ruleSeverities: readonly (readonly [RuleSeverity, string])[] = [
  ['critical', 'Critical'],
  ['high', 'High'],
  ['medium', 'Medium'],
  ['low', 'Low'],
]

export const percentText = (percent: number | null): string => (percent === null ? '–' : `${percent}%`)

const remediationWords = {
  pending: ['Pending', 'info'],
  running: ['Running', 'info'],
  held: ['Held', 'warn'],
  remediation_failed: ['Failed', 'bad'],
} as const

export function RemediationBadge({ state }: { readonly state: keyof typeof remediationWords }) {
  const [word, tone] = remediationWords[state]
  return <Badge tone={tone}>{word}</Badge>
}

/** Why an enforcing policy repairs nothing. */
export const heldText = {
  mass_change: 'Held: many devices stopped to comply at once. Remediate it to go on.',
  owner_not_permitted: 'Held: the person who activated it may no longer do this. Activate it again.',
} as const
