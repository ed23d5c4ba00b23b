import type { CustomField } from '@muster/areas/fleet/custom-fields/custom-fields.contract.ts'
import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useFullList } from '../../../../queries.ts'
import { useMe } from '../../../../session/session.tsx'
import { Badge } from '../../../../ui/page/display.tsx'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { Ago, useTimes } from '../../../../ui/text/time.tsx'
import { CpuCell, DiskCell, MemoryCell, SeenCell, StatusCell, statusWords, UptimeCell } from '../status.tsx'
import { customColumns } from './customFields.tsx'

export const osNames = { linux: 'Linux', windows: 'Windows', macos: 'macOS' }
const osOf = ({ osName, osVersion, osType }: Device) =>
  [osName ?? (osType && osNames[osType]), osVersion].filter(Boolean).join(' ') || null
const round = (percent: number | null) => (percent === null ? null : Math.round(percent * 10) / 10)

const figures: readonly Column<Device>[] = [
  { id: 'os', header: 'OS', width: 116, grow: 1, cell: (device) => osOf(device) ?? '–', text: osOf },
  {
    id: 'cpu',
    header: 'CPU',
    width: 92,
    cell: (device) => <CpuCell device={device} />,
    text: ({ cpuPercent }) => round(cpuPercent),
  },
  {
    id: 'memory',
    header: 'Memory',
    width: 92,
    cell: (device) => <MemoryCell device={device} />,
    text: ({ memoryPercent }) => round(memoryPercent),
  },
  {
    id: 'disk',
    header: 'Disk',
    width: 92,
    hidden: true,
    cell: (device) => <DiskCell device={device} />,
    text: ({ diskPercent }) => round(diskPercent),
  },
]

const particulars: readonly Column<Device>[] = [
  {
    id: 'agent',
    header: 'Agent',
    width: 92,
    cell: ({ agentVersion, updateRequired }) =>
      updateRequired ? <Badge tone="warn">Outdated</Badge> : (agentVersion ?? '–'),
    text: ({ agentVersion }) => agentVersion,
  },
  {
    id: 'uptime',
    header: 'Uptime',
    width: 110,
    hidden: true,
    cell: (device) => <UptimeCell device={device} />,
    text: ({ uptimeSeconds }) => uptimeSeconds,
  },
  {
    id: 'hostname',
    header: 'Hostname',
    width: 180,
    grow: 1,
    hidden: true,
    cell: ({ hostname }) => hostname,
    text: ({ hostname }) => hostname,
  },
  {
    id: 'architecture',
    header: 'Architecture',
    width: 110,
    hidden: true,
    cell: ({ architecture }) => architecture ?? '–',
    text: ({ architecture }) => architecture,
  },
  {
    id: 'tags',
    header: 'Tags',
    width: 160,
    grow: 1,
    hidden: true,
    cell: ({ tags }) => (
      <span className="flex gap-1">
        {tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </span>
    ),
    text: ({ tags }) => tags.join(' '),
  },
]

function nameCell(device: Device) {
  return (
    <Link
      to="/devices/$deviceId"
      params={{ deviceId: device.id }}
      className="rounded font-medium hover:text-accent-text"
    >
      {device.displayName ?? device.hostname}
      {device.displayName && <span className="ml-2 font-normal text-muted text-sm">{device.hostname}</span>}
    </Link>
  )
}

interface PlaceProps {
  readonly org: string
  readonly site?: string
  readonly children: ReactNode
}
/** Limits the list to a place. */
const PlaceLink = ({ org, site, children }: PlaceProps) => (
  <Link
    from="/devices"
    to="/devices"
    search={(now) => ({ ...now, org, site })}
    className="rounded hover:text-accent-text"
  >
    {children}
  </Link>
)

const placeColumns = (isOneOrg: boolean): readonly Column<Device>[] => [
  {
    id: 'organization',
    header: 'Organization',
    width: 116,
    grow: 1,
    hidden: isOneOrg,
    cell: ({ orgId, orgName }) => <PlaceLink org={orgId}>{orgName}</PlaceLink>,
    text: ({ orgName }) => orgName,
  },
  {
    id: 'site',
    header: 'Site',
    width: 100,
    grow: 1,
    cell: ({ orgId, siteId, siteName }) =>
      siteId === null ? (
        '–'
      ) : (
        <PlaceLink org={orgId} site={siteId}>
          {siteName}
        </PlaceLink>
      ),
    text: ({ siteName }) => siteName,
  },
]

const momentColumns = (moment: (iso: string) => string): readonly Column<Device>[] => [
  {
    id: 'seen',
    header: 'Last seen',
    width: 104,
    sort: 'lastSeen',
    cell: (device) => <SeenCell device={device} />,
    text: ({ lastSeenAt }) => lastSeenAt && moment(lastSeenAt),
  },
  {
    id: 'enrolled',
    header: 'Enrolled',
    width: 120,
    sort: 'enrolled',
    hidden: true,
    cell: ({ enrolledAt }) => <Ago at={enrolledAt} />,
    text: ({ enrolledAt }) => enrolledAt && moment(enrolledAt),
  },
]

const names: readonly Column<Device>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 142,
    grow: 2,
    sort: 'hostname',
    cell: nameCell,
    text: ({ displayName, hostname }) => displayName ?? hostname,
  },
  {
    id: 'status',
    header: 'Status',
    width: 104,
    cell: (device) => <StatusCell device={device} />,
    text: ({ status }) => statusWords[status],
  },
]

const noFields: readonly CustomField[] = []

/** The columns of device lists. */
export function useDeviceColumns(): readonly Column<Device>[] {
  const { moment } = useTimes()
  const isOneOrg = useMe().scope === 'organization'
  const own = useFullList((api) => api.customFields.customFields.list, {}, { staleMs: 60_000 }).data
  // One list while there are no fields, so that the answer does not redraw all rows.
  const fields = own === undefined || own.length === 0 ? noFields : own
  return useMemo(
    () => [
      ...names,
      ...placeColumns(isOneOrg),
      ...figures,
      ...momentColumns(moment),
      ...particulars,
      ...customColumns(fields),
    ],
    [moment, isOneOrg, fields],
  )
}
