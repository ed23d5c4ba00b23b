import type { AlertDetail } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { Link, useParams } from '@tanstack/react-router'
import { useApiQuery } from '../../../queries.ts'
import { Badge, Card, Facts } from '../../../ui/page/display.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { Moment } from '../../../ui/text/time.tsx'
import { useUserNames } from '../../access/users/useUserNames.ts'
import { OrganizationLink, SiteLink } from '../../tenancy/tenancy/PlaceLinks.tsx'
import { RelatedAlerts } from '../correlations/RelatedAlerts.tsx'
import { AlertButtons } from './AlertActions.tsx'
import { AlertDevice } from './AlertDevice.tsx'
import { Explanation } from './Explanation.tsx'
import { SeverityBadge, StatusBadge } from './status.tsx'
import { Timeline } from './Timeline.tsx'
import { useAlertActions } from './useAlertActions.tsx'
import { resolutionText, sourceText, suppressionText } from './words.ts'

const up = { label: 'Alerts', to: '/alerts' } as const

/** One alert: what it is about, why it exists, who was told, and what happened to it. */
export function AlertPage() {
  const { alertId } = useParams({ from: '/app/alerts/$alertId' })
  const answer = useApiQuery((api) => api.alerts.alerts.get, { id: alertId }, { everyMs: 5_000 })
  if (!answer.data) return <PendingPage title="Alert" up={up} answer={answer} />
  return <Sheet alert={answer.data} />
}

function Sheet({ alert }: { readonly alert: AlertDetail }) {
  const actions = useAlertActions()
  return (
    <Page
      title={alert.title}
      up={up}
      badge={
        <>
          <SeverityBadge severity={alert.severity} />
          <StatusBadge status={alert.status} />
          {alert.flapping && <Badge tone="warn">Flapping</Badge>}
        </>
      }
      lead={alert.message}
      actions={<AlertButtons alert={alert} actions={actions} />}
    >
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Details alert={alert} />
        <Explanation alert={alert} />
        <Timeline alert={alert} />
        <RelatedAlerts alert={alert} />
      </div>
      {actions.dialogs}
    </Page>
  )
}

/** The policy that a device did not comply with. */
function policyOf({ source, context: { policyId } }: AlertDetail) {
  if (source !== 'policy' || typeof policyId !== 'string') return null
  return (
    <Link to="/policies/$policyId" params={{ policyId }} className="rounded hover:text-accent-text hover:underline">
      Show policy
    </Link>
  )
}

function Details({ alert }: { readonly alert: AlertDetail }) {
  const { orgId, siteId, ruleId, monitorId, groupId, acknowledgedUntil, suppression, suppressedUntil, resolution } =
    alert
  const nameOf = useUserNames(orgId)
  const rule = useApiQuery((api) => api.alerts.rules.get, { id: ruleId ?? '' }, { enabled: ruleId !== null }).data
  return (
    <Card title="Details">
      <Facts
        onlyKnown
        facts={[
          ['Device', alert.deviceId && <AlertDevice key="device" alert={alert} />],
          ['Organization', <OrganizationLink key="org" orgId={orgId} />],
          ['Site', <SiteLink key="site" orgId={orgId} siteId={siteId} />],
          [
            'Rule',
            rule && (
              <Link
                key="rule"
                to="/alerts/rules/$ruleId"
                params={{ ruleId: rule.id }}
                className="rounded hover:text-accent-text hover:underline"
              >
                {rule.name}
              </Link>
            ),
          ],
          [
            'Monitor',
            monitorId && (
              <Link
                key="monitor"
                to="/monitors/$monitorId"
                params={{ monitorId }}
                className="rounded hover:text-accent-text hover:underline"
              >
                Show monitor
              </Link>
            ),
          ],
          ['Configuration policy', policyOf(alert)],
          ['Source', sourceText(alert.source)],
          ['Opened', <Moment key="opened" at={alert.openedAt} />],
          ['Occurrences', alert.occurrences],
          ['Acknowledged by', alert.acknowledgedAt && nameOf(alert.acknowledgedBy)],
          ['Acknowledged until', acknowledgedUntil && <Moment key="acknowledged" at={acknowledgedUntil} />],
          [
            'Resolved',
            resolution &&
              `${resolutionText(resolution)}${resolution === 'manual' ? ` by ${nameOf(alert.resolvedBy)}` : ''}`,
          ],
          ['Suppressed', suppression && suppressionText(suppression)],
          ['Suppressed until', suppressedUntil && <Moment key="until" at={suppressedUntil} />],
          [
            'Messages',
            groupId && (
              <Link
                key="group"
                to="/alerts"
                search={({ org, site }) => ({ org, site, groupId, status: 'all' as const })}
                className="rounded hover:text-accent-text hover:underline"
              >
                Alerts that share its messages
              </Link>
            ),
          ],
        ]}
      />
    </Card>
  )
}
