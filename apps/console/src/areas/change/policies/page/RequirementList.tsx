import type { Rule } from '@muster/areas/change/device-policies/rules/rules.contract.ts'
import { Lock } from 'lucide-react'
import { Badge, Card } from '../../../../ui/page/display.tsx'
import { SeverityBadge } from '../../../watch/alerts/status.tsx'
import { requirementOf } from '../ruleText.ts'

/** The rules of a policy in words. */
export function RequirementList({ rules }: { readonly rules: readonly Rule[] }) {
  return (
    <Card title="Requirements">
      {rules.length === 0 ? (
        <p className="text-muted text-sm">No rules yet. Edit the policy to add what devices have to be like.</p>
      ) : (
        <ul aria-label="Rules" className="grid gap-3">
          {rules.map((rule) => (
            <li key={rule.key} className="grid gap-0.5">
              <span className="flex flex-wrap items-center gap-2">
                <span className="min-w-0 break-words font-medium">{requirementOf(rule)}</span>
                <SeverityBadge severity={rule.severity} />
                {rule.locked && (
                  <Badge>
                    <Lock aria-hidden className="size-3" />
                    Locked
                  </Badge>
                )}
              </span>
              <span className="text-muted text-xs">
                <code>{rule.key}</code>
                {rule.message !== null && ` · ${rule.message}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
