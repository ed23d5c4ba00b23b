import { X } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { IconButton } from '../../../ui/button/Button.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { MatchList } from './MatchList.tsx'
import { useTargetNames } from './useTargetNames.ts'

interface Props {
  readonly label: string
  /** What is meant while no device is selected. */
  readonly none: string
  readonly orgId: string
  readonly siteId?: string | null
  readonly deviceId: string | null
  choose(deviceId: string | null): void
}
const matchesMax = 6

/** One device by its name, or none. */
export function DevicePicker({ label, none, orgId, siteId = null, deviceId, choose }: Props) {
  const [search, setSearch] = useState<string>()
  const nameOf = useTargetNames({ groupIds: [], deviceIds: deviceId === null ? [] : [deviceId] })
  const answer = useApiQuery(
    (client) => client.devices.devices.list,
    {
      search: search ?? '',
      limit: matchesMax,
      sort: 'hostname',
      orgIds: [orgId],
      ...(siteId && { siteIds: [siteId] }),
    },
    { enabled: search !== undefined && orgId !== '', keepLast: true },
  )
  const devices = answer.data && 'devices' in answer.data ? answer.data.devices : []
  const what = label.toLowerCase()
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 font-medium text-sm">{label}</legend>
      {deviceId === null ? (
        <>
          <p className="text-muted text-sm">{none}</p>
          <SearchField
            label={`Search for a ${what}`}
            placeholder="Search devices by name"
            value={search}
            change={setSearch}
          />
          {search !== undefined && (
            <MatchList
              matches={devices.map(({ id, displayName, hostname }) => ({ key: id, name: displayName ?? hostname }))}
              isPending={answer.isPending}
              choose={({ key }) => {
                choose(key)
                setSearch(undefined)
              }}
            />
          )}
        </>
      ) : (
        <span className="flex items-center gap-1 text-sm">
          {nameOf('deviceIds', deviceId)}
          <IconButton small label={`Remove the ${what}`} onClick={() => choose(null)}>
            <X aria-hidden className="size-3.5" />
          </IconButton>
        </span>
      )}
    </fieldset>
  )
}
