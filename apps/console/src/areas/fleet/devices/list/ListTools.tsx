import { Popover } from '@base-ui/react/popover'
import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import { Columns3, Filter, ListFilter, Tags, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useFullList } from '../../../../queries.ts'
import { usePlace } from '../../../../shell/place.ts'
import { Button, buttonClass } from '../../../../ui/Button.tsx'
import type { Column } from '../../../../ui/DataTable.tsx'
import { CheckField } from '../../../../ui/fields.tsx'
import { many } from '../../../../ui/quantity.ts'
import { SearchField } from '../../../../ui/SearchField.tsx'
import { Select } from '../../../../ui/Select.tsx'
import { usePlaceNames } from '../../../tenancy/tenancy/placeNames.ts'
import { conditionsIn } from '../../filters/draft.ts'
import { FilterChips } from '../../filters/FilterChips.tsx'
import { type DevicesSearch, statuses } from '../search.ts'
import { statusWords } from '../status.tsx'
import { filterIn } from './deviceList.ts'

const FilterDialog = lazy(() =>
  import('../../filters/FilterDialog.tsx').then((part) => ({ default: part.FilterDialog })),
)

/** The list without search and filters. */
export const unnarrowed: DevicesSearch = {
  q: undefined,
  status: undefined,
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
}

/** Search, filters and columns of the list. */
export function ListTools({ search, columns, visible, isReady, change }: Props) {
  const { status = [], q, group, tags } = search
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
        value={q ?? ''}
        change={(text) => change({ q: text === '' ? undefined : text })}
      />
      <Choice
        icon={<ListFilter aria-hidden className="size-4" />}
        label={status.length > 0 ? status.map((each) => statusWords[each]).join(', ') : 'Status'}
        on={status.length > 0}
      >
        {statuses.map((each) => (
          <CheckField
            key={each}
            label={statusWords[each]}
            checked={status.includes(each)}
            onChange={(on) => {
              const next = statuses.filter((one) => (one === each ? on : status.includes(one)))
              change({ status: next.length > 0 ? next : undefined })
            }}
          />
        ))}
      </Choice>
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
      {(q || status.length > 0 || group || tags || filter) && (
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
    .map(({ id, name, orgId }) => [id, org || !orgs.has(orgId) ? name : `${name} · ${orgs.get(orgId)}`] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other))
  return <Select label="Group" none="All groups" value={group ?? ''} options={options} choose={change} />
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
