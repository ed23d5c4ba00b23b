import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleAlert, Info } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { useLiveState } from '../../../live/deviceStates.ts'
import { useApiQuery } from '../../../queries.ts'
import { Card, Facts } from '../../../ui/display.tsx'
import { inputClass } from '../../../ui/fields.tsx'
import { bytes, count, duration } from '../../../ui/quantity.ts'
import { Failure, Loading, Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { AgentUpdate } from './AgentUpdate.tsx'
import { CustomValues } from './CustomValues.tsx'
import { remarksOn } from './condition.ts'
import { CpuCell, DiskCell, MemoryCell, useCurrent } from './status.tsx'

const TimeChart = lazy(() => import('../../../ui/TimeChart.tsx').then((module) => ({ default: module.TimeChart })))

/** How the device is now and was lately. */
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
    <ul aria-label="What to know" className="grid gap-2">
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
  const pair = (used: number | null | undefined, total: number | null | undefined) =>
    `${bytes(used)} of ${bytes(total)}`
  const items = [
    ['CPU', <CpuCell key="cpu" device={device} />, `load ${told?.load1m ?? device.load1m ?? '–'}`],
    [
      'Memory',
      <MemoryCell key="memory" device={device} />,
      pair(told?.memoryUsed ?? device.memoryUsed, told?.memoryTotal ?? device.memoryTotal),
    ],
    [
      'Disk',
      <DiskCell key="disk" device={device} />,
      pair(told?.diskUsed ?? device.diskUsed, told?.diskTotal ?? device.diskTotal),
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
        <div key={name} className="grid gap-1 bg-surface px-4 py-3">
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="font-semibold text-lg tabular">{value}</dd>
          <dd className="text-muted text-xs tabular">{more}</dd>
        </div>
      ))}
    </dl>
  )
}

const spans = { '1': 'Last hour', '6': 'Last 6 hours', '24': 'Last day', '168': 'Last week' } as const
const percent = (value: number) => `${Math.round(value)} %`
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
  const drawn = useMemo(() => (points ? seriesOf(points) : null), [points])
  return (
    <Card
      title="History"
      actions={
        <select
          aria-label="How far back"
          className={`${inputClass} !h-7 !w-36`}
          value={hours}
          onChange={({ target }) =>
            void navigate({ search: (now) => ({ ...now, hours: hoursOf(target.value) }), replace: true })
          }
        >
          {Object.entries(spans).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      }
    >
      {!drawn ? (
        answer.error ? (
          <Failure error={answer.error} again={() => answer.refetch()} />
        ) : (
          <Loading />
        )
      ) : drawn.at.length === 0 ? (
        <Note icon={Info} title="No figures in this time">
          The device did not report. Look further back.
        </Note>
      ) : (
        <Suspense fallback={<Loading />}>
          <div className="grid gap-5">
            <TimeChart label="Use in percent" at={drawn.at} series={drawn.use} most={100} write={percent} />
            <TimeChart label="Network" at={drawn.at} series={drawn.network} write={perSecond} />
          </div>
        </Suspense>
      )}
    </Card>
  )
}

const hoursOf = (given: string) => (given === '6' || given === '24' || given === '168' ? given : undefined)

type Points = readonly {
  readonly at: string
  readonly cpuPercent: number | null
  readonly memoryUsed: number | null
  readonly memoryTotal: number | null
  readonly networkRxBytes: number | null
  readonly networkTxBytes: number | null
}[]

const share = (part: number | null, whole: number | null) => (part === null || !whole ? null : (part / whole) * 100)

function seriesOf(points: Points) {
  const at = points.map((point) => Date.parse(point.at) / 1000)
  // The counters only grow, until the machine starts anew.
  const rate = (of: (point: Points[number]) => number | null) =>
    points.map((point, index) => {
      const before = points[index - 1]
      const [now, then] = [of(point), before ? of(before) : null]
      const seconds = (at[index] ?? 0) - (at[index - 1] ?? 0)
      return now === null || then === null || now < then || seconds <= 0 ? null : (now - then) / seconds
    })
  return {
    at,
    use: [
      { label: 'CPU', colour: 1, values: points.map((point) => point.cpuPercent) },
      { label: 'Memory', colour: 2, values: points.map((point) => share(point.memoryUsed, point.memoryTotal)) },
    ] as const,
    network: [
      { label: 'Received', colour: 3, values: rate((point) => point.networkRxBytes) },
      { label: 'Sent', colour: 4, values: rate((point) => point.networkTxBytes) },
    ] as const,
  }
}

function About({ device }: { readonly device: DeviceDetail }) {
  return (
    <Card title="About">
      <Facts
        facts={[
          ['Hostname', device.hostname],
          ['Organisation', device.orgName],
          ['Site', device.siteId === null ? 'none' : device.siteName],
          ['System', [device.osName ?? device.osType, device.osVersion].filter(Boolean).join(' ') || null],
          ['Kernel', device.kernelVersion],
          ['Architecture', device.architecture],
          ['Agent', device.updateRequired ? `${device.agentVersion} (update required)` : device.agentVersion],
          ['Updates itself', device.autoUpdate ? 'yes' : 'no, held'],
          ['Watchdog', device.watchdogStatus],
          ['Enrolled', device.enrolledAt && <Ago at={device.enrolledAt} />],
          ['Machine id', device.machineId],
        ]}
      />
    </Card>
  )
}
