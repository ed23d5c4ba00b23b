import { Popover } from '@base-ui/react/popover'
import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useNavigate } from '@tanstack/react-router'
import { Clock, Columns3, Filter, ListFilter, MapPin, Monitor, Tags, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useFullList } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { type Place, usePlace } from '../../../../shell/place.ts'
import { Button, buttonClass } from '../../../../ui/button/Button.tsx'
import { CheckField } from '../../../../ui/form/fields.tsx'
import { SearchField } from '../../../../ui/form/SearchField.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { many } from '../../../../ui/text/quantity.ts'
import { nameIn, usePlaceNames } from '../../../tenancy/tenancy/placeNames.ts'
import { conditionsIn } from '../../filters/draft.ts'
import { FilterChips } from '../../filters/FilterChips.tsx'
import type { DeviceFilters } from '../deviceQuestion.ts'
import { type DevicesSearch, statuses, systems, unseenDays } from '../search.ts'
import { statusWords } from '../status.tsx'
import { osNames } from './columns.tsx'
import { filterIn } from './deviceList.ts'
import { Facet } from './Facet.tsx'

const FilterDialog = lazy(() =>
  import('../../filters/FilterDialog.tsx').then((part) => ({ default: part.FilterDialog })),
)

/** The list without search and filters. */
export const unnarrowed: DevicesSearch = {
  q: undefined,
  status: undefined,
  os: undefined,
  unseen: undefined,
  group: undefined,
  tags: undefined,
  filter: undefined,
}

interface Props {
  readonly search: DevicesSearch
  readonly columns: readonly Column<Device>[]
  readonly visible: Readonly<Record<string, boolean>>
  /** The rows are there, so other things can be asked for. */
  readonly isReady: boolean
  change(next: DevicesSearch): void
  /** What the list asks for after a change. */
  filtersWith(next: DevicesSearch & Place): DeviceFilters
}

/** Search, filters and columns of the list. */
export function ListTools({ search, columns, visible, isReady, change, filtersWith }: Props) {
  const { status = [], os = [], unseen, q, group, tags } = search
  const [isFiltering, setFiltering] = useState(false)
  const filter = filterIn(search)
  const toggle = (id: string, on: boolean) => {
    const cols = columns.filter((column) => (column.id === id ? on : visible[column.id]))
    change({ cols: cols.map((column) => column.id).join('.') })
  }
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchField
        label="Search devices"
        placeholder="Search by name"
        value={q}
        change={(text) => change({ q: text })}
      />
      <Choice
        icon={<ListFilter aria-hidden className="size-4" />}
        label={status.length > 0 ? status.map((each) => statusWords[each]).join(', ') : 'Status'}
        on={status.length > 0}
      >
        {statuses.map((each) => (
          <Facet
            key={each}
            label={statusWords[each]}
            checked={status.includes(each)}
            filters={filtersWith({ status: [each] })}
            change={(on) => {
              const next = statuses.filter((one) => (one === each ? on : status.includes(one)))
              change({ status: next.length > 0 ? next : undefined })
            }}
          />
        ))}
      </Choice>
      <Choice
        icon={<Monitor aria-hidden className="size-4" />}
        label={os.length > 0 ? os.map((each) => osNames[each]).join(', ') : 'OS'}
        on={os.length > 0}
      >
        {systems.map((each) => (
          <Facet
            key={each}
            label={osNames[each]}
            checked={os.includes(each)}
            filters={filtersWith({ os: [each] })}
            change={(on) => {
              const next = systems.filter((one) => (one === each ? on : os.includes(one)))
              change({ os: next.length > 0 ? next : undefined })
            }}
          />
        ))}
      </Choice>
      <UnseenChoice unseen={unseen} change={change} filtersWith={filtersWith} />
      <SiteChoice isReady={isReady} filtersWith={filtersWith} />
      <GroupChoice isReady={isReady} group={group} change={(id) => change({ group: id })} />
      <TagChoice
        isReady={isReady}
        tags={tags ?? []}
        change={(next) => change({ tags: next.length > 0 ? next : undefined })}
      />
      <Button className={filter ? '!border-accent !text-accent-text' : ''} onClick={() => setFiltering(true)}>
        <Filter aria-hidden className="size-4" />
        {filter ? many(conditionsIn(filter), 'condition') : 'Filter'}
      </Button>
      {(q || status.length > 0 || os.length > 0 || unseen || group || tags || filter) && (
        <Button kind="quiet" onClick={() => change(unnarrowed)}>
          <X aria-hidden className="size-4" />
          Clear
        </Button>
      )}
      <span className="flex-1" />
      <Choice icon={<Columns3 aria-hidden className="size-4" />} label="Columns" on={search.cols !== undefined}>
        {columns.map(({ id, header }) => (
          <CheckField
            key={id}
            label={header}
            checked={visible[id] ?? false}
            disabled={id === 'name'}
            onChange={(on) => toggle(id, on)}
          />
        ))}
        {search.cols !== undefined && <Button onClick={() => change({ cols: undefined })}>Reset columns</Button>}
      </Choice>
      {filter && <FilterChips filter={filter} change={(next) => change({ filter: next })} />}
      {isFiltering && (
        <Suspense>
          <FilterDialog filter={filter} apply={(next) => change({ filter: next })} close={() => setFiltering(false)} />
        </Suspense>
      )}
    </div>
  )
}

interface UnseenProps extends Pick<Props, 'change' | 'filtersWith'> {
  readonly unseen: DevicesSearch['unseen']
}
function UnseenChoice({ unseen, change, filtersWith }: UnseenProps) {
  const named = (days: string) => `More than ${many(Number(days), 'day')} ago`
  return (
    <Choice
      icon={<Clock aria-hidden className="size-4" />}
      label={unseen === undefined ? 'Last seen' : named(unseen)}
      on={unseen !== undefined}
    >
      {unseenDays.map((days) => (
        <Facet
          key={days}
          label={named(days)}
          checked={days === unseen}
          filters={filtersWith({ unseen: days })}
          change={(on) => change({ unseen: on ? days : undefined })}
        />
      ))}
    </Choice>
  )
}

const sitesShown = 20

/** The sites of the chosen organization. One of them becomes the location, as in the header. */
function SiteChoice({ isReady, filtersWith }: Pick<Props, 'isReady' | 'filtersWith'>) {
  const { org, site } = usePlace()
  const navigate = useNavigate({ from: '/devices' })
  const can = useCan()
  const { data = [] } = useFullList(
    (api) => api.tenancy.sites.list,
    { ...(org && { orgId: org }) },
    { enabled: isReady && org !== undefined && can('sites:read'), staleMs: 30_000 },
  )
  if (org === undefined || data.length === 0) return null
  return (
    <Choice
      icon={<MapPin aria-hidden className="size-4" />}
      label={data.find(({ id }) => id === site)?.name ?? 'Site'}
      on={site !== undefined}
    >
      {data.slice(0, sitesShown).map(({ id, name }) => (
        <Facet
          key={id}
          label={name}
          checked={id === site}
          filters={filtersWith({ site: id })}
          change={(on) => void navigate({ search: (now) => ({ ...now, site: on ? id : undefined }), replace: true })}
        />
      ))}
      {data.length > sitesShown && <p className="text-muted text-xs">The header lists all {data.length} sites</p>}
    </Choice>
  )
}

interface TagProps {
  readonly isReady: boolean
  readonly tags: readonly string[]
  change(tags: string[]): void
}
function TagChoice({ isReady, tags, change }: TagProps) {
  const { org } = usePlace()
  const { data } = useFullList((api) => api.devices.tags.list, org ? { orgId: org } : {}, {
    enabled: isReady,
    staleMs: 30_000,
  })
  const all = [...new Set([...tags, ...(data ?? []).map(({ tag }) => tag)])]
  if (all.length === 0) return null
  return (
    <Choice
      icon={<Tags aria-hidden className="size-4" />}
      label={tags.length > 0 ? tags.join(', ') : 'Tags'}
      on={tags.length > 0}
    >
      {all.map((tag) => (
        <CheckField
          key={tag}
          label={tag}
          checked={tags.includes(tag)}
          onChange={(on) => change(all.filter((each) => (each === tag ? on : tags.includes(each))))}
        />
      ))}
    </Choice>
  )
}

interface GroupProps {
  readonly isReady: boolean
  readonly group: string | undefined
  change(id: string | undefined): void
}
function GroupChoice({ isReady, group, change }: GroupProps) {
  const { org } = usePlace()
  const { orgs } = usePlaceNames()
  const groups =
    useFullList((api) => api.groups.groups.list, { ...(org && { orgId: org }) }, { enabled: isReady, staleMs: 30_000 })
      .data ?? []
  if (groups.length === 0) return null
  // Customers often use the same names.
  const options = groups
    .map((group) => [group.id, org ? group.name : nameIn(orgs, group)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other))
  return <Select label="Group" none="All groups" value={group} options={options} choose={change} />
}

interface ChoiceProps {
  readonly icon: ReactNode
  readonly label: string
  readonly on: boolean
  readonly children: ReactNode
}
function Choice({ icon, label, on, children }: ChoiceProps) {
  return (
    <Popover.Root>
      <Popover.Trigger className={`${buttonClass('plain')} ${on ? '!border-accent !text-accent-text' : ''}`}>
        {icon}
        {label}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="start" className="z-40">
          <Popover.Popup
            aria-label={label}
            className="grid max-h-[60vh] min-w-48 gap-2 overflow-y-auto rounded-lg border border-line bg-raised p-3 shadow-pop outline-none"
          >
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
