import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { CircleAlert, Info } from 'lucide-react'
import { useLiveState } from '../../../../live/deviceStates.ts'
import { Card, Facts } from '../../../../ui/page/display.tsx'
import { bytes, count, duration, memory } from '../../../../ui/text/quantity.ts'
import { Ago } from '../../../../ui/text/time.tsx'
import { DeviceMaintenance } from '../../../control/maintenance/DeviceMaintenance.tsx'
import { CpuCell, DiskCell, MemoryCell, useCurrent } from '../status.tsx'
import { AgentUpdate } from './AgentUpdate.tsx'
import { CustomValues } from './CustomValues.tsx'
import { remarksOn } from './condition.ts'
import { History } from './History.tsx'
import { protectionFacts } from './protectionFacts.ts'

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
          <DeviceMaintenance deviceId={device.id} />
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
          ...protectionFacts(device),
          ['Enrolled', device.enrolledAt && <Ago at={device.enrolledAt} />],
          ['Machine ID', device.machineId],
        ]}
      />
    </Card>
  )
}
