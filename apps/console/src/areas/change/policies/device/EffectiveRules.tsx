import type { devicePolicies, Why } from '@muster/areas/change/device-policies/devices/devices.contract.ts'
import { Link } from '@tanstack/react-router'
import { Card } from '../../../../ui/page/display.tsx'
import { requirementOf } from '../ruleText.ts'
import { settingText, settingWords } from '../settings.ts'
import { ComplianceBadge, levelText } from '../words.tsx'

type Found = Awaited<ReturnType<typeof devicePolicies.get.output.parseAsync>>
type From = Pick<Found['rules'][number], 'policyId' | 'name' | 'level'>

/** A rule or a setting in effect, in words. */
interface Effective extends From {
  readonly key: string
  readonly text: string
  readonly why: Why
  readonly overrode: readonly (From & { readonly text: string })[]
}

const reasons: Readonly<Record<Why, string>> = {
  only: 'No other policy has this key',
  nearer: 'It is assigned nearer to the device',
  locked: 'It is locked above the others',
  priority: 'Its policy has the greater priority',
  older: 'Its policy is older',
}

interface RulesProps {
  readonly rules: Found['rules']
  /** The keys of rules that the device does not keep. */
  readonly failed: readonly string[]
}

/** The rules in effect on a device: from which policy, what each replaced, and why. */
export const EffectiveRules = ({ rules, failed }: RulesProps) => (
  <EffectiveList
    title="Rules in effect"
    failed={failed}
    of={rules.map((rule) => ({
      ...rule,
      text: requirementOf(rule.value),
      overrode: rule.overrode.map((each) => ({ ...each, text: requirementOf(each.value) })),
    }))}
  />
)

/** The settings in effect on a device: from which policy, what each replaced, and why. */
export const EffectiveSettings = ({ settings }: Pick<Found, 'settings'>) => (
  <EffectiveList
    title="Settings in effect"
    of={settings.map((setting) => ({
      ...setting,
      text: `${settingWords[setting.key]}: ${settingText(setting.value)}`,
      overrode: setting.overrode.map((each) => ({ ...each, text: settingText(each.value) })),
    }))}
  />
)

interface ListProps {
  readonly title: string
  readonly of: readonly Effective[]
  readonly failed?: readonly string[]
}

function EffectiveList({ title, of, failed = [] }: ListProps) {
  if (of.length === 0) return null
  return (
    <Card title={title}>
      <ul aria-label={title} className="grid gap-4 text-sm">
        {of.map((each) => (
          <li key={each.key} className="grid gap-1">
            <span className="flex flex-wrap items-center gap-2">
              <span className="min-w-0 break-words font-medium">{each.text}</span>
              {failed.includes(each.key) && <ComplianceBadge status="non_compliant" />}
            </span>
            <span>
              <code className="text-muted">{each.key}</code> from <Source from={each} />.{' '}
              <span className="text-muted">{reasons[each.why]}.</span>
            </span>
            {each.overrode.length > 0 && (
              <ul
                aria-label={`Replaced by ${each.key}`}
                className="grid gap-0.5 border-line border-l-2 pl-3 text-muted"
              >
                {each.overrode.map((other) => (
                  <li key={other.policyId}>
                    Replaces “{other.text}” from <Source from={other} />
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
