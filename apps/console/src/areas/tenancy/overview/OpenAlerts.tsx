import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { Card } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { count, many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { SeverityBadge } from '../../watch/alerts/status.tsx'
import { severities } from '../../watch/alerts/words.ts'
import { OrganizationLink } from '../tenancy/PlaceLinks.tsx'

const shownMax = 5

/** The alerts that are not resolved, by severity, and the latest of those that wait. */
export function OpenAlerts() {
  const { org, site } = usePlace()
  const place = { ...(org && { orgId: org }), ...(site && { siteId: site }) }
  const answer = useApiQuery((api) => api.alerts.alerts.summary, place, { everyMs: 10_000, keepLast: true })
  const summary = answer.data
  return (
    <Card
      flush
      title="Open alerts"
      actions={
        <Link
          to="/alerts"
          search={(now) => ({ org: now.org, site: now.site })}
          className="rounded text-accent-text text-sm"
          aria-label="View all: Open alerts"
        >
          View all
        </Link>
      }
    >
      {summary === undefined ? (
        <Pending answer={answer} lines={3} />
      ) : (
        <>
          <dl className="grid grid-cols-5 divide-x divide-line border-line border-b">
            {severities.map(([severity, label]) => (
              <div key={severity} className="min-w-0 px-3 py-3 hover:bg-hover sm:px-4">
                <dt className="truncate text-muted text-xs sm:text-sm">{label}</dt>
                <dd className="font-semibold text-xl tabular">
                  <Link
                    to="/alerts"
                    search={(now) => ({ org: now.org, site: now.site, severity })}
                    className={`rounded hover:text-accent-text ${summary.bySeverity[severity] > 0 ? '' : 'text-muted'}`}
                  >
                    {count(summary.bySeverity[severity])}
                    <span className="sr-only"> open alerts, {label.toLowerCase()}: show them</span>
                  </Link>
                </dd>
              </div>
            ))}
          </dl>
          <Latest place={place} />
          <p className="border-line border-t px-4 py-2 text-muted text-sm">
            {many(summary.opened24h, 'alert')} opened and {count(summary.resolved24h)} resolved in 24 hours
          </p>
        </>
      )}
    </Card>
  )
}

function Latest({ place }: { readonly place: { readonly orgId?: string; readonly siteId?: string } }) {
  const alerts = useApiQuery(
    (api) => api.alerts.alerts.list,
    { ...place, status: ['active'], sort: 'severity', sortDir: 'desc', limit: shownMax },
    { everyMs: 10_000, keepLast: true },
  ).data?.data
  if (alerts?.length === 0) return <p className="px-4 py-6 text-center text-muted">No alert waits for you</p>
  return (
    <ul aria-label="Worst active alerts">
      {(alerts ?? []).map(({ id, orgId, title, severity, openedAt }) => (
        <li
          key={id}
          className="flex items-center justify-between gap-3 border-line border-b px-4 py-2 last:border-0 hover:bg-hover"
        >
          <span className="min-w-0 truncate">
            <Link to="/alerts/$alertId" params={{ alertId: id }} className="rounded font-medium hover:text-accent-text">
              {title}
            </Link>{' '}
            <span className="text-muted text-sm">
              <OrganizationLink orgId={orgId} />
            </span>
          </span>
          <span className="flex shrink-0 items-center gap-2 text-muted text-sm">
            <SeverityBadge severity={severity} />
            <Ago at={openedAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}
