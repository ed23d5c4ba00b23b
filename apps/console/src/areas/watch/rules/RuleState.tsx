import type { AlertRule } from '@muster/areas/watch/alerts/rules/rules.contract.ts'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/page/display.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { useTimes } from '../../../ui/text/time.tsx'
import { isSnoozed } from './snooze.ts'

interface Of {
  readonly rule: AlertRule
}

/** Whether a rule acts. */
export function RuleState({ rule }: Of) {
  const { moment } = useTimes()
  if (!rule.enabled) return <Badge>Disabled</Badge>
  if (!isSnoozed(rule)) return <Badge tone="good">Enabled</Badge>
  return (
    <span title={rule.snoozedUntil ? `Until ${moment(rule.snoozedUntil)}` : undefined}>
      <Badge tone="warn">Snoozed</Badge>
    </span>
  )
}

/** The number of open alerts of a rule, with a link to them. */
export function OpenAlertsLink({ rule: { id, name, openAlerts } }: Of) {
  if (openAlerts === 0) return '0'
  return (
    <Link
      to="/alerts"
      search={({ org, site }) => ({ org, site, rule: id })}
      className="rounded font-medium text-accent-text hover:underline"
    >
      {count(openAlerts)}
      <span className="sr-only"> open alerts of {name}</span>
    </Link>
  )
}
