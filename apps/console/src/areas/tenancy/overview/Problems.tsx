import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { Badge, Card } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import type { DevicesSearch } from '../../fleet/devices/search.ts'

const shownMax = 8
const limits = { cpuPercent: 85, memoryPercent: 90, diskPercent: 90 } as const
const names = { cpuPercent: 'CPU', memoryPercent: 'Memory', diskPercent: 'Disk' } as const
const measures = ['cpuPercent', 'memoryPercent', 'diskPercent'] as const

/** Devices with high CPU, memory or disk usage, the highest first. */
export function Pressed() {
  const { org } = usePlace()
  const filter = {
    all: [
      { field: 'status', op: 'is', value: 'online' },
      { any: measures.map((field) => ({ field, op: 'atLeast', value: limits[field] })) },
    ],
  }
  const answer = useApiQuery(
    (api) => api.filters.filters.preview,
    { filter, limit: 100, ...(org && { orgId: org }) },
    { everyMs: 15_000, keepLast: true },
  )
  const worst = (device: Device) => Math.max(...measures.map((measure) => device[measure] ?? 0))
  const devices = answer.data?.devices.toSorted((one, other) => worst(other) - worst(one)).slice(0, shownMax)
  return (
    <List
      title="High usage"
      answer={answer}
      devices={devices}
      nothing="No device has high usage"
      all={{ filter }}
      more={(device) =>
        measures
          .filter((measure) => (device[measure] ?? 0) >= limits[measure])
          .map((measure) => (
            <Badge key={measure} tone={(device[measure] ?? 0) >= 95 ? 'bad' : 'warn'}>
              {names[measure]} {Math.round(device[measure] ?? 0)}%
            </Badge>
          ))
      }
    />
  )
}

/** Devices that went offline most recently. */
export function Offline() {
  const { org, site } = usePlace()
  const answer = useApiQuery(
    (api) => api.devices.devices.list,
    {
      status: ['offline'],
      sort: 'lastSeen',
      sortDir: 'desc',
      limit: shownMax,
      ...(org && { orgIds: [org] }),
      ...(site && { siteIds: [site] }),
    },
    { keepLast: true },
  )
  const devices = answer.data && 'devices' in answer.data ? answer.data.devices : undefined
  return (
    <List
      title="Recently offline"
      answer={answer}
      devices={devices}
      nothing="No offline devices"
      all={{ status: ['offline'], sort: 'lastSeen', dir: 'desc' }}
      more={(device) => (
        <span className="text-muted text-sm">
          <Ago at={device.lastSeenAt} never="never seen" />
        </span>
      )}
    />
  )
}

interface ListProps {
  readonly title: string
  readonly answer: { readonly error: unknown; refetch(): unknown }
  readonly devices: readonly Device[] | undefined
  readonly nothing: string
  /** What the address of the full list asks for. */
  readonly all: DevicesSearch
  more(device: Device): ReactNode
}

function List({ title, answer, devices, nothing, all, more }: ListProps) {
  return (
    <Card
      flush
      title={title}
      actions={
        <Link
          to="/devices"
          search={({ org, site }) => ({ org, site, ...all })}
          className="rounded text-accent-text text-sm"
          aria-label={`View all: ${title}`}
        >
          View all
        </Link>
      }
    >
      {devices === undefined ? (
        <Pending answer={answer} lines={4} />
      ) : devices.length === 0 ? (
        <p className="px-4 py-8 text-center text-muted">{nothing}</p>
      ) : (
        <ul>
          {devices.map((device) => (
            <li
              key={device.id}
              className="flex items-center justify-between gap-3 border-line border-b px-4 py-2 last:border-0 hover:bg-hover"
            >
              <span className="min-w-0 truncate">
                <Link
                  to="/devices/$deviceId"
                  params={{ deviceId: device.id }}
                  className="rounded font-medium hover:text-accent-text"
                >
                  {device.displayName ?? device.hostname}
                </Link>
                <span className="ml-2 text-muted text-sm">{device.orgName}</span>
              </span>
              <span className="flex shrink-0 gap-1.5">{more(device)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
