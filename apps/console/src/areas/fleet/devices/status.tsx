import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useLiveState } from '../../../live/deviceStates.ts'
import { Meter } from '../../../ui/page/display.tsx'
import { duration } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'

type Status = Device['status']

const dots: Record<Status, string> = {
  online: 'bg-good',
  offline: 'bg-line-strong',
  updating: 'bg-warn',
  provisioned: 'bg-accent',
  quarantined: 'bg-bad',
  decommissioned: 'bg-line-strong',
}
export const statusWords: Record<Status, string> = {
  online: 'Online',
  offline: 'Offline',
  updating: 'Updating',
  provisioned: 'Pending',
  quarantined: 'Quarantined',
  decommissioned: 'Decommissioned',
}

/** The status of a device, as a dot and a word. */
export function StatusMark({ status }: { readonly status: Status }) {
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${dots[status]}`} />
      {statusWords[status]}
    </span>
  )
}

/** The state of a device: what the stream reported since the list was read comes first. */
export function useCurrent(device: Device) {
  const told = useLiveState(device.id)
  const share = (used: number | null | undefined, total: number | null | undefined, known: number | null) =>
    used != null && total != null && total > 0 ? (used / total) * 100 : known
  return {
    status: told?.status ?? device.status,
    lastSeenAt: told?.seenAt === undefined ? device.lastSeenAt : new Date(told.seenAt).toISOString(),
    cpuPercent: told?.cpuPercent ?? device.cpuPercent,
    memoryPercent: share(told?.memoryUsed, told?.memoryTotal, device.memoryPercent),
    diskPercent: share(told?.diskUsed, told?.diskTotal, device.diskPercent),
    uptimeSeconds: told?.uptimeSeconds ?? device.uptimeSeconds,
  }
}

interface Of {
  readonly device: Device
}
export const StatusCell = ({ device }: Of) => <StatusMark status={useCurrent(device).status} />
export const SeenCell = ({ device }: Of) => <Ago at={useCurrent(device).lastSeenAt} />
export const UptimeCell = ({ device }: Of) => duration(useCurrent(device).uptimeSeconds)

type Figure = 'cpuPercent' | 'memoryPercent' | 'diskPercent'
/** Figures of a device that does not report are old, and no bar. */
function FigureCell({ device, label, figure }: Of & { readonly label: string; readonly figure: Figure }) {
  const now = useCurrent(device)
  const isReporting = now.status === 'online' || now.status === 'updating'
  return <Meter label={label} percent={isReporting ? now[figure] : null} />
}
export const CpuCell = ({ device }: Of) => <FigureCell device={device} label="CPU" figure="cpuPercent" />
export const MemoryCell = ({ device }: Of) => <FigureCell device={device} label="Memory" figure="memoryPercent" />
export const DiskCell = ({ device }: Of) => <FigureCell device={device} label="Disk" figure="diskPercent" />
