import type { Monitor } from '@muster/areas/watch/monitors/monitors.contract.ts'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Card, Facts } from '../../../ui/page/display.tsx'
import { Figures } from '../../../ui/page/Figures.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { Ago, Moment } from '../../../ui/text/time.tsx'
import { DeviceLinks } from '../../fleet/targets/DeviceLinks.tsx'
import { OrganizationLink, SiteLink } from '../../tenancy/tenancy/PlaceLinks.tsx'
import { Incidents } from './Incidents.tsx'
import { MonitorAlerts } from './MonitorAlerts.tsx'
import { type Asked, MonitorQuestions, useCheck, usePause } from './MonitorQuestions.tsx'
import { storedSecrets } from './monitorDraft.ts'
import { ResponseChart } from './ResponseChart.tsx'
import { percent, reasonWords, responseTime, StatusBadge, typeWords } from './words.tsx'

const up = { label: 'Monitors', to: '/monitors' } as const

/** One monitor: how its target does, since when, and who is notified. */
export function MonitorPage() {
  const { monitorId } = useParams({ from: '/app/monitors/$monitorId' })
  const answer = useApiQuery((client) => client.monitors.monitors.get, { id: monitorId }, { everyMs: 5_000 })
  if (!answer.data) return <PendingPage title="Monitor" up={up} answer={answer} />
  return <Known monitor={answer.data} />
}

function Known({ monitor }: { readonly monitor: Monitor }) {
  const navigate = useNavigate()
  const [asked, setAsked] = useState<Asked | null>(null)
  const mayWrite = useCan()('alerts:write') ? undefined : 'You don’t have permission to edit monitors'
  const check = useCheck()
  const pause = usePause()
  return (
    <Page
      title={monitor.name}
      up={up}
      badge={<StatusBadge status={monitor.status} />}
      lead={reasonWords(monitor.statusReason) ?? monitor.target}
      actions={
        <>
          <RowMenu
            name={monitor.name}
            groups={[[{ label: 'Delete monitor', danger: true, blocked: mayWrite, act: () => setAsked('delete') }]]}
          />
          <Button blocked={mayWrite} onClick={() => setAsked('edit')}>
            Edit monitor
          </Button>
          <Button blocked={mayWrite} onClick={() => pause(monitor)}>
            {monitor.enabled ? 'Pause monitor' : 'Resume monitor'}
          </Button>
          <Button
            kind="primary"
            blocked={mayWrite ?? (monitor.enabled ? undefined : 'Resume the monitor first')}
            busy={check.busy}
            onClick={() => check.run(monitor.id)}
          >
            <Activity aria-hidden className="size-4" />
            Check now
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Vitals monitor={monitor} />
        <div className="grid items-start gap-4 xl:grid-cols-[1fr_24rem]">
          <div className="grid min-w-0 gap-4">
            <ResponseChart monitor={monitor} />
            <MonitorAlerts monitor={monitor} />
          </div>
          <div className="grid min-w-0 gap-4">
            <About monitor={monitor} />
            <Probes monitor={monitor} />
            <PastIncidents monitor={monitor} />
          </div>
        </div>
      </div>
      {check.shown}
      {asked && (
        <MonitorQuestions
          monitor={monitor}
          asked={asked}
          close={() => setAsked(null)}
          gone={() => void navigate({ to: '/monitors' })}
        />
      )}
    </Page>
  )
}

interface Props {
  readonly monitor: Monitor
}

function Vitals({ monitor }: Props) {
  const { statusSince, lastResponseMs, lastCheckAt, uptime24h, uptime7d, uptime30d } = monitor
  return (
    <Figures
      figures={[
        ['Status since', <Ago key="since" at={statusSince} />, <Moment key="moment" at={statusSince} />],
        ['Response', responseTime(lastResponseMs), <Ago key="checked" at={lastCheckAt} />],
        ['Uptime 24 h', percent(uptime24h)],
        ['Uptime 7 d', percent(uptime7d)],
        ['Uptime 30 d', percent(uptime30d)],
      ]}
    />
  )
}

function About({ monitor }: Props) {
  const { type, target, orgId, siteId, intervalSeconds, timeoutSeconds, retries, degradedMs, config } = monitor
  const { headerNames, hasBody } = storedSecrets(monitor)
  const shown = Object.entries(config).flatMap(([name, value]) => {
    const words = configWords[name]
    if (words === undefined || value === null) return []
    return [[words, Array.isArray(value) ? value.map(String).join(', ') : yesOrText(value)] as const]
  })
  return (
    <Card title="Details">
      <Facts
        facts={[
          ['Type', typeWords.get(type)],
          ['Target', <code key="target">{target}</code>],
          ...shown,
          ...(headerNames.length > 0 ? ([['Headers', headerNames.join(', ')]] as const) : []),
          ...(hasBody ? ([['Body', 'stored, never shown']] as const) : []),
          ['Organization', <OrganizationLink key="org" orgId={orgId} />],
          ['Site', siteId === null ? 'All sites' : <SiteLink key="site" orgId={orgId} siteId={siteId} />],
          ['Interval', `${intervalSeconds} s`],
          ['Timeout', `${timeoutSeconds} s`],
          ['Retries', retries],
          ['Degraded above', degradedMs === null ? 'not set' : responseTime(degradedMs)],
          ...(monitor.certificateExpiresAt === null
            ? []
            : ([['Certificate expires', <Moment key="certificate" at={monitor.certificateExpiresAt} />]] as const)),
        ]}
      />
    </Card>
  )
}

const configWords: Readonly<Record<string, string>> = {
  count: 'Echo requests',
  port: 'Port',
  expect: 'Expected',
  method: 'Method',
  expectStatus: 'Expected statuses',
  expectBody: 'Expected text',
  verifyTls: 'Verify the certificate',
  certificateDays: 'Degraded before expiry (days)',
  recordType: 'Record type',
  server: 'Name server',
}
const yesOrText = (value: unknown): string => (value === true ? 'yes' : value === false ? 'no' : String(value))

function Probes({ monitor: { assignedDeviceIds, deviceId, probes } }: Props) {
  return (
    <Card title="Probes">
      {assignedDeviceIds.length === 0 ? (
        <p className="text-muted text-sm">
          {deviceId === null
            ? 'No connected device can check it. Enroll a device at the site, or wait until one reconnects.'
            : 'The selected device is not connected.'}
        </p>
      ) : (
        <DeviceLinks deviceIds={assignedDeviceIds} />
      )}
      {assignedDeviceIds.length > 0 && assignedDeviceIds.length < probes && (
        <p className="mt-2 text-muted text-xs">
          {assignedDeviceIds.length} of {probes} probes are available.
        </p>
      )}
    </Card>
  )
}

/** The incidents of its site that are its own: the server answers the last ones of a place. */
function PastIncidents({ monitor: { id, orgId, siteId } }: Props) {
  const answer = useApiQuery(
    (client) => client.monitors.monitors.dashboard,
    { orgId, ...(siteId && { siteId }) },
    { everyMs: 15_000 },
  )
  return (
    <Card title="Incidents">
      {answer.data ? (
        <Incidents
          withoutNames
          incidents={answer.data.incidents.filter(({ monitorId }) => monitorId === id)}
          none={`None among the last incidents of its ${siteId === null ? 'organization' : 'site'}.`}
        />
      ) : (
        <Pending answer={answer} lines={2} />
      )}
    </Card>
  )
}
