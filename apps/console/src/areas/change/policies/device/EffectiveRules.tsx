import type { devicePolicies, Why } from '@muster/areas/change/device-policies/devices/devices.contract.ts'
import { Link } from '@tanstack/react-router'
import { Card } from '../../../../ui/page/display.tsx'
import { requirementOf } from '../ruleText.ts'
import { ComplianceBadge, levelText } from '../words.tsx'

type EffectiveRule = Awaited<ReturnType<typeof devicePolicies.get.output.parseAsync>>['rules'][number]
type From = Pick<EffectiveRule, 'policyId' | 'name' | 'level'>

const reasons: Readonly<Record<Why, string>> = {
  only: 'No other policy has this key',
  nearer: 'It is assigned nearer to the device',
  locked: 'It is locked above the others',
  priority: 'Its policy has the greater priority',
  older: 'Its policy is older',
}

interface Props {
  readonly rules: readonly EffectiveRule[]
  /** The keys of rules that the device does not keep. */
  readonly failed: readonly string[]
}

/** The rules in effect on a device: from which policy, what each replaced, and why. */
export function EffectiveRules({ rules, failed }: Props) {
  if (rules.length === 0) return null
  return (
    <Card title="Rules in effect">
      <ul aria-label="Rules in effect" className="grid gap-4 text-sm">
        {rules.map((rule) => (
          <li key={rule.key} className="grid gap-1">
            <span className="flex flex-wrap items-center gap-2">
              <span className="min-w-0 break-words font-medium">{requirementOf(rule.value)}</span>
              {failed.includes(rule.key) && <ComplianceBadge status="non_compliant" />}
            </span>
            <span>
              <code className="text-muted">{rule.key}</code> from <Source from={rule} />.{' '}
              <span className="text-muted">{reasons[rule.why]}.</span>
            </span>
            {rule.overrode.length > 0 && (
              <ul
                aria-label={`Replaced by ${rule.key}`}
                className="grid gap-0.5 border-line border-l-2 pl-3 text-muted"
              >
                {rule.overrode.map((each) => (
                  <li key={each.policyId}>
                    Replaces “{requirementOf(each.value)}” from <Source from={each} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Source({ from: { policyId, name, level } }: { readonly from: From }) {
  return (
    <>
      <Link to="/policies/$policyId" params={{ policyId }} className="rounded text-accent-text underline">
        {name}
      </Link>{' '}
      ({levelText(level).toLowerCase()})
    </>
  )
}
