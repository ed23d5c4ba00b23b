import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleAlert, Info } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { useLiveState } from '../../../live/deviceStates.ts'
import { useApiQuery } from '../../../queries.ts'
import { Card, Facts } from '../../../ui/display.tsx'
import { bytes, count, duration, memory } from '../../../ui/quantity.ts'
import { Select } from '../../../ui/Select.tsx'
import { Failure, Loading, Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { AgentUpdate } from './AgentUpdate.tsx'
import { CustomValues } from './CustomValues.tsx'
import { remarksOn } from './condition.ts'
import { metricSeries } from './metricSeries.ts'
import { CpuCell, DiskCell, MemoryCell, useCurrent } from './status.tsx'

const TimeChart = lazy(() => import('../../../ui/TimeChart.tsx').then((module) => ({ default: module.TimeChart })))

/** The device now and in the last days. */
export function OverviewTab({ device }: { readonly device: DeviceDetail }) {
  return (
    <div className="grid gap-4">
      <Remarks device={device} />
      <Vitals device={device} />
      <div className="grid items-start gap-4 xl:grid-cols-[1fr_22rem]">
        <History device={device} />
        <div className="grid gap-4">
          <AgentUpdate device={device} />
          <CustomValues device={device} />
          <About device={device} />
        </div>
      </div>
    </div>
  )
}

const tones = {
  bad: 'bg-bad-soft text-bad-text',
  warn: 'bg-warn-soft text-warn-text',
  info: 'bg-accent-soft text-accent-text',
}

function Remarks({ device }: { readonly device: DeviceDetail }) {
  const remarks = remarksOn({ ...device, status: useCurrent(device).status })
  if (remarks.length === 0) return null
  return (
    <ul aria-label="Notices" className="grid gap-2">
      {remarks.map(({ tone, text, since }) => (
        <li key={text} className={`flex items-start gap-2 rounded-lg px-3 py-2 text-sm ${tones[tone]}`}>
          {tone === 'info' ? (
            <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
          ) : (
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          )}
          <span>
            {text} {since && <Ago at={since} />}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Vitals({ device }: { readonly device: DeviceDetail }) {
  const now = useCurrent(device)
  const told = useLiveState(device.id)
  type Size = number | null | undefined
  const pair = (write: (size: Size) => string, used: Size, total: Size) => `${write(used)} of ${write(total)}`
  const items = [
    ['CPU', <CpuCell key="cpu" device={device} />, `load ${told?.load1m ?? device.load1m ?? '–'}`],
    [
      'Memory',
      <MemoryCell key="memory" device={device} />,
      pair(memory, told?.memoryUsed ?? device.memoryUsed, told?.memoryTotal ?? device.memoryTotal),
    ],
    [
      'Disk',
      <DiskCell key="disk" device={device} />,
      pair(bytes, told?.diskUsed ?? device.diskUsed, told?.diskTotal ?? device.diskTotal),
    ],
    ['Uptime', duration(now.uptimeSeconds), `${count(told?.processCount ?? device.processCount ?? 0)} processes`],
    [
      'Last seen',
      <Ago key="seen" at={now.lastSeenAt} />,
      device.agentVersion ? `agent ${device.agentVersion}` : 'no agent yet',
    ],
  ] as const
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-xl border border-line bg-line gap-px md:grid-cols-5">
      {items.map(([name, value, more]) => (
        <div key={name} className="grid gap-1 bg-surface px-4 py-3 last:col-span-2 md:last:col-span-1">
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="font-semibold text-lg tabular">{value}</dd>
          <dd className="text-muted text-xs tabular">{more}</dd>
        </div>
      ))}
    </dl>
  )
}

const spans = [
  ['1', 'Last hour'],
  ['6', 'Last 6 hours'],
  ['24', 'Last day'],
  ['168', 'Last week'],
] as const
const percent = (value: number) => `${Math.round(value)}%`
const perSecond = (value: number) => `${bytes(value)}/s`

function History({ device }: { readonly device: DeviceDetail }) {
  const { hours = '1' } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const answer = useApiQuery(
    (api) => api.devices.devices.metrics,
    { id: device.id, minutes: Number(hours) * 60, limit: 3_000 },
    { everyMs: 15_000, keepLast: true },
  )
  const points = answer.data?.points
  const drawn = useMemo(() => (points ? metricSeries(points) : null), [points])
  const range = answer.data && { from: Date.parse(answer.data.from) / 1000, to: Date.parse(answer.data.to) / 1000 }
  return (
    <Card
      title="History"
      actions={
        <Select
          label="Time range"
          className="w-36"
          value={hours}
          options={spans}
          choose={(next) =>
            void navigate({ search: (now) => ({ ...now, hours: next === '1' ? undefined : next }), replace: true })
          }
        />
      }
    >
      {!drawn || !range ? (
        answer.error ? (
          <Failure error={answer.error} again={() => answer.refetch()} />
        ) : (
          <Loading />
        )
      ) : drawn.at.length === 0 ? (
        <Note icon={Info} title="No data for this period">
          The device did not report. Choose a longer time range.
        </Note>
      ) : (
        <Suspense fallback={<Loading />}>
          <div className="grid gap-5">
            <TimeChart label="Usage" {...range} at={drawn.at} series={drawn.use} most={100} write={percent} />
            <TimeChart label="Network" {...range} at={drawn.at} series={drawn.network} write={perSecond} />
          </div>
        </Suspense>
      )}
    </Card>
  )
}

function About({ device }: { readonly device: DeviceDetail }) {
  return (
    <Card title="About">
      <Facts
        facts={[
          ['Hostname', device.hostname],
          ['Organization', device.orgName],
          ['Site', device.siteId === null ? 'none' : device.siteName],
          ['OS', [device.osName ?? device.osType, device.osVersion].filter(Boolean).join(' ') || null],
          ['Kernel', device.kernelVersion],
          ['Architecture', device.architecture],
          ['Agent', device.updateRequired ? `${device.agentVersion} (update required)` : device.agentVersion],
          ['Auto-update', device.autoUpdate ? 'on' : 'off'],
          ['Watchdog', device.watchdogStatus],
          ['Enrolled', device.enrolledAt && <Ago at={device.enrolledAt} />],
          ['Machine ID', device.machineId],
        ]}
      />
    </Card>
  )
}
