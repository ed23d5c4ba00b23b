import type { AlertDetail } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { useFullList } from '../../../queries.ts'
import { Card, Facts } from '../../../ui/page/display.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { metricText } from '../conditions/kinds.ts'
import { conditionsText } from '../conditions/words.ts'
import { Sparkline } from './Sparkline.tsx'

/** Why the alert exists, and why no message was sent if none was. */
export function Explanation({ alert }: { readonly alert: AlertDetail }) {
  const { samples, threshold, ruleVersion, policyId, messages, noMessage } = alert.explanation
  const { conditions } = alert.context
  const policies = useFullList((api) => api.alertPolicies.policies.list, {}, { enabled: policyId !== null }).data ?? []
  const figures = samples.flatMap(({ value, ...sample }) =>
    value === null || typeof value === 'number' ? [{ ...sample, value }] : [],
  )
  const byMetric = [...Map.groupBy(figures, ({ metric }) => metric)]
  return (
    <Card title="Explanation">
      <div className="grid gap-4">
        <Facts
          onlyKnown
          facts={[
            ['Conditions', conditions === undefined ? null : conditionsText(conditions)],
            ['Threshold', threshold === null ? null : count(threshold)],
            ['Rule version', ruleVersion],
            ['Policy', policies.find(({ id }) => id === policyId)?.name],
            ['Messages', noMessage ?? `${messages.length}`],
          ]}
        />
        {byMetric.map(([metric, own]) => (
          <Sparkline
            key={metric}
            label={metricText(metric)}
            points={own.map(({ at, value }) => ({ at, value }))}
            threshold={byMetric.length === 1 ? threshold : null}
          />
        ))}
      </div>
    </Card>
  )
}
