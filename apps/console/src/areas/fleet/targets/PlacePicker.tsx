import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { useApiQuery, useFullList } from '../../../queries.ts'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { nameIn, usePlaceNames } from '../../tenancy/tenancy/placeNames.ts'
import { MatchList } from './MatchList.tsx'
import { isNothing, type Named, type PlaceKind, placeKinds, toggled } from './targetDraft.ts'
import { useTargetNames } from './useTargetNames.ts'

interface Props {
  readonly label: string
  /** What is meant while nothing is chosen. */
  readonly none: string
  /** Whose devices can be chosen: one organization's, or those of the whole partner. */
  readonly orgId: string | null
  readonly named: Named
  /** What can be chosen; everything unless given. */
  readonly kinds?: readonly PlaceKind[]
  readonly placeholder?: string
  readonly error?: string | undefined
  change(named: Named): void
}

export const kindWords: Readonly<Record<PlaceKind, string>> = {
  orgIds: 'Organization',
  siteIds: 'Site',
  groupIds: 'Group',
  tags: 'Tag',
  deviceIds: 'Device',
}

const placeholderOf = (label: string, kinds: readonly PlaceKind[]) =>
  kinds.length === 1 ? `Add a ${label.toLowerCase().replace(/s$/, '')}` : 'Add a site, group, tag or device'

/** Chooses organizations, sites, groups, tags and devices by their names. */
export function PlacePicker(props: Props) {
  const { label, none, orgId, named, kinds = placeKinds, error, change } = props
  const { placeholder = placeholderOf(label, kinds) } = props
  const id = useId()
  const [search, setSearch] = useState<string>()
  const nameOf = useTargetNames(named)
  return (
    <fieldset className="grid min-w-0 gap-1.5" aria-describedby={`${id}-chosen`}>
      <legend className="mb-1 font-medium text-sm">{label}</legend>
      <ul id={`${id}-chosen`} aria-label={`${label}: selected`} className="flex flex-wrap gap-1.5">
        {isNothing(named) && <li className="text-muted text-sm">{none}</li>}
        {placeKinds.flatMap((kind) =>
          named[kind].map((each) => (
            <li
              key={`${kind} ${each}`}
              className="flex items-center gap-1 rounded-md bg-accent-soft py-0.5 pr-0.5 pl-2 text-accent-text text-sm"
            >
              {kindWords[kind]}: {nameOf(kind, each)}
              <button
                type="button"
                aria-label={`Remove ${nameOf(kind, each)}`}
                className="rounded p-1 hover:bg-hover"
                onClick={() => change(toggled(named, kind, each))}
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          )),
        )}
      </ul>
      <SearchField
        label={`Search for ${label.toLowerCase()}`}
        placeholder={placeholder}
        value={search}
        change={setSearch}
      />
      {search !== undefined && (
        <Matches
          search={search}
          orgId={orgId}
          named={named}
          kinds={kinds}
          add={(kind, found) => {
            change(toggled(named, kind, found))
            setSearch(undefined)
          }}
        />
      )}
      {error !== undefined && <p className="text-bad-text text-xs">{error}</p>}
    </fieldset>
  )
}

interface Match {
  readonly kind: PlaceKind
  readonly id: string
  readonly name: string
}
const ofEachKind = 5

/** What has the name that is searched for. */
function useMatches(search: string, orgId: string | null): { matches: Match[]; isPending: boolean } {
  const { orgs } = usePlaceNames()
  const within = { search, limit: ofEachKind, ...(orgId !== null && { orgId }) }
  const options = { keepLast: true }
  const sites = useFullList((api) => api.tenancy.sites.list, orgId === null ? {} : { orgId }, { staleMs: 60_000 })
  const groups = useApiQuery((api) => api.groups.groups.list, within, options)
  const tags = useApiQuery((api) => api.devices.tags.list, within, options)
  const devices = useApiQuery(
    (api) => api.devices.devices.list,
    { search, limit: ofEachKind, ...(orgId !== null && { orgIds: [orgId] }) },
    options,
  )
  const wanted = search.toLowerCase()
  const organizations = [...orgs].filter(([, name]) => orgId === null && name.toLowerCase().includes(wanted))
  const sitesNamed = (sites.data ?? []).filter(({ name }) => name.toLowerCase().includes(wanted))
  const list = devices.data && 'devices' in devices.data ? devices.data.devices : []
  const nameHere = (row: { name: string; orgId: string | null }) => (orgId === null ? nameIn(orgs, row) : row.name)
  return {
    isPending: [sites, groups, tags, devices].some((answer) => answer.isPending),
    matches: [
      ...organizations.slice(0, ofEachKind).map(([id, name]): Match => ({ kind: 'orgIds', id, name })),
      ...sitesNamed.slice(0, ofEachKind).map((row): Match => ({ kind: 'siteIds', id: row.id, name: nameHere(row) })),
      ...(groups.data?.data ?? []).map((row): Match => ({ kind: 'groupIds', id: row.id, name: nameHere(row) })),
      ...(tags.data?.data ?? []).map(({ tag }): Match => ({ kind: 'tags', id: tag, name: tag })),
      ...list.map(({ id, hostname, displayName }): Match => ({ kind: 'deviceIds', id, name: displayName ?? hostname })),
    ],
  }
}

interface MatchesProps extends Pick<Props, 'orgId' | 'named'> {
  readonly kinds: readonly PlaceKind[]
  readonly search: string
  add(kind: PlaceKind, id: string): void
}

function Matches({ search, orgId, named, kinds, add }: MatchesProps) {
  const found = useMatches(search, orgId)
  const matches = found.matches.filter(({ kind, id }) => kinds.includes(kind) && !named[kind].includes(id))
  return (
    <MatchList
      matches={matches.map((match) => ({ ...match, key: `${match.kind} ${match.id}`, note: kindWords[match.kind] }))}
      isPending={found.isPending}
      choose={({ kind, id }) => add(kind, id)}
    />
  )
}
