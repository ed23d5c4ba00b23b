import type { Alert } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { useApiQuery } from '../../../queries.ts'
import { Card } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { GroupDetails } from './GroupDetails.tsx'

const dayMs = 86_400_000

/** The group that an alert belongs to, among those that opened within a day of it. */
export function RelatedAlerts({ alert: { id, orgId, openedAt } }: { readonly alert: Alert }) {
  const openedMs = Date.parse(openedAt)
  const answer = useApiQuery(
    (api) => api.alertTemplates.correlations.analyze,
    {
      orgId,
      from: new Date(openedMs - dayMs).toISOString(),
      to: new Date(openedMs + dayMs).toISOString(),
      windowMinutes: 60,
    },
    { everyMs: 30_000 },
  )
  const group = answer.data?.groups.find(({ alertIds }) => alertIds.includes(id))
  return (
    <Card title="Related alerts">
      {answer.data === undefined ? (
        <Pending answer={answer} lines={3} />
      ) : group ? (
        <GroupDetails group={group} />
      ) : (
        <p className="text-muted text-sm">No other alert seems to be related.</p>
      )}
    </Card>
  )
}
