import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { Card } from '../../../ui/page/display.tsx'
import { Figures } from '../../../ui/page/Figures.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { OrganizationLink } from '../../tenancy/tenancy/PlaceLinks.tsx'
import { Incidents } from './Incidents.tsx'
import { percent, responseTime, statuses } from './words.tsx'

/** Figures of all monitors of the location. */
export function MonitorDashboard() {
  const { org, site } = usePlace()
  const answer = useApiQuery(
    (client) => client.monitors.monitors.dashboard,
    { ...(org && { orgId: org }), ...(site && { siteId: site }) },
    { everyMs: 10_000 },
  )
  if (!answer.data) return <Pending answer={answer} />
  const { total, byStatus, uptime24h, uptime7d, uptime30d, slowest, incidents } = answer.data
  return (
    <div className="grid gap-4">
      <Figures
        figures={statuses.map(([status, label]) => [
          label,
          <Link
            key={status}
            to="/monitors"
            search={({ org: at, site: of }) => ({ org: at, site: of, status })}
            className="rounded hover:text-accent-text hover:underline"
          >
            {count(byStatus[status])}
          </Link>,
        ])}
      />
      <Figures
        figures={[
          ['Uptime 24 hours', percent(uptime24h)],
          ['Uptime 7 days', percent(uptime7d)],
          ['Uptime 30 days', percent(uptime30d)],
        ]}
      />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Recent incidents">
          <Incidents
            incidents={incidents}
            none={total === 0 ? 'No monitors yet. Create one to see its incidents.' : 'No incidents in 30 days.'}
          />
        </Card>
        <Card title="Slowest">
          {slowest.length === 0 ? (
            <p className="text-muted text-sm">No response times yet.</p>
          ) : (
            <ul className="grid gap-2 text-sm">
              {slowest.map(({ monitorId, orgId, name, target, responseMs }) => (
                <li key={monitorId} className="flex items-center justify-between gap-4">
                  <span className="min-w-0">
                    <Link
                      to="/monitors/$monitorId"
                      params={{ monitorId }}
                      className="rounded font-medium hover:underline"
                    >
                      {name}
                    </Link>
                    <span className="block truncate text-muted text-xs">
                      {target} · <OrganizationLink orgId={orgId} />
                    </span>
                  </span>
                  <span className="tabular">{responseTime(responseMs)}</span>
                </li>
              ))}
            </ul>
          )}
        </Card>
      </div>
    </div>
  )
}
