import { Link } from '@tanstack/react-router'
import { MonitorSmartphone } from 'lucide-react'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiQuery } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Page } from '../../../ui/page/Page.tsx'
import { Failure, Loading, Note } from '../../../ui/page/states.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { Fleet } from './Fleet.tsx'
import { GettingStarted } from './GettingStarted.tsx'
import { OpenAlerts } from './OpenAlerts.tsx'
import { Offline, Pressed } from './Problems.tsx'
import { Recent } from './Recent.tsx'

/** The fleet at a glance: counts, problems and recent activity. */
export function OverviewPage() {
  const can = useCan()
  const isPartner = useMe().scope === 'partner'
  if (!can('devices:read'))
    return (
      <Page title="Overview">
        <Note icon={MonitorSmartphone} title="Welcome">
          Your role has no access to devices. Use the navigation to open your pages.
        </Note>
      </Page>
    )
  return (
    <Page title="Overview">
      <div className="grid gap-4">
        <GettingStarted />
        <Counts />
        {can('alerts:read') && <OpenAlerts />}
        <div className="grid items-start gap-4 xl:grid-cols-2">
          <Pressed />
          <Offline />
        </div>
        <div className={`grid items-start gap-4 ${isPartner ? 'xl:grid-cols-2' : ''}`}>
          {isPartner && <Fleet />}
          {can('audit:read') && <Recent />}
        </div>
      </div>
    </Page>
  )
}

const kinds = [
  { label: 'Devices', status: undefined, dot: null },
  { label: 'Online', status: ['online'], dot: 'bg-good' },
  { label: 'Offline', status: ['offline'], dot: 'bg-line-strong' },
  { label: 'Updating', status: ['updating'], dot: 'bg-warn' },
  { label: 'Not in use', status: ['provisioned', 'quarantined', 'decommissioned'], dot: 'bg-bad' },
] as const

function Counts() {
  useRefreshOn((event) => event.type === 'device.status', ['devices.devices.list'], 2_000)
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line md:grid-cols-5">
      {kinds.map((kind) => (
        <Count key={kind.label} {...kind} />
      ))}
    </dl>
  )
}

function Count({ label, status, dot }: (typeof kinds)[number]) {
  const { org, site } = usePlace()
  const answer = useApiQuery(
    (api) => api.devices.devices.list,
    {
      limit: 1,
      includeTotal: true,
      sort: 'hostname',
      ...(status && { status: [...status] }),
      ...(org && { orgIds: [org] }),
      ...(site && { siteIds: [site] }),
    },
    { keepLast: true },
  )
  const total = answer.data && 'devices' in answer.data ? answer.data.total : undefined
  return (
    <div className="bg-surface px-5 py-4 last:col-span-2 hover:bg-hover md:last:col-span-1">
      <dt className="flex items-center gap-2 text-muted text-sm">
        {dot && <span aria-hidden className={`size-2 rounded-full ${dot}`} />}
        {label}
      </dt>
      <dd className="mt-1 font-semibold text-2xl tabular tracking-tight">
        {answer.error ? (
          <Failure error={answer.error} again={() => answer.refetch()} />
        ) : total === undefined ? (
          <Loading lines={1} label={`Counting ${label}`} />
        ) : (
          <Link
            to="/devices"
            search={(now) => ({ org: now.org, site: now.site, ...(status && { status: [...status] }) })}
            className="rounded hover:text-accent-text"
          >
            {count(total)}
            <span className="sr-only"> {label}: show them</span>
          </Link>
        )}
      </dd>
    </div>
  )
}
