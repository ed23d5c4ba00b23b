import type { Group } from '@muster/areas/fleet/groups/groups.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Boxes } from 'lucide-react'
import { useState } from 'react'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { NewButton } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn, siteColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { GroupForm } from './GroupForm.tsx'
import { typeLabels } from './groupTypes.ts'

const types = [
  ['static', typeLabels.static],
  ['dynamic', typeLabels.dynamic],
] as const

/** The device groups. */
export function GroupsPage() {
  const { q, type } = useSearch({ from: '/app/groups' })
  const navigate = useNavigate({ from: '/groups' })
  const { org, site } = usePlace()
  const [isCreating, setCreating] = useState(false)
  const blocked = !useCan()('devices:write') && 'You don’t have permission to edit devices and groups'
  const narrow = (next: { q?: string | undefined; type?: Group['type'] | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const list = useList((api) => api.groups.groups.list, {
    ...(q && { search: q }),
    ...(type && { type }),
    ...(org && { orgId: org }),
    ...(site && { siteId: site }),
  })
  useRefreshOn((event) => event.type === 'device.changed', ['groups.groups.list'], 10_000)
  const add = (
    <NewButton blocked={blocked} act={() => setCreating(true)}>
      New group
    </NewButton>
  )
  return (
    <ListPage
      title="Groups"
      lead="Sets of devices, for lists, commands and agent versions."
      actions={add}
      tools={
        <>
          <SearchField
            label="Search groups"
            placeholder="Search by name"
            value={q}
            change={(text) => narrow({ q: text })}
          />
          <Select
            label="Type"
            none="All types"
            value={type}
            options={types}
            choose={(next) => narrow({ type: next })}
          />
        </>
      }
      label="Groups"
      list={list}
      columns={columns}
      rowId={({ id }) => id}
      empty={
        <NoRows
          icon={Boxes}
          title="No groups yet"
          action={add}
          clear={(q ?? type) && (() => narrow({ q: undefined, type: undefined }))}
        >
          Select devices yourself, or let a filter keep the group up to date.
        </NoRows>
      }
    >
      {isCreating && (
        <GroupForm
          close={() => setCreating(false)}
          done={({ id }) => void navigate({ to: '/groups/$groupId', params: { groupId: id } })}
        />
      )}
    </ListPage>
  )
}

const columns: readonly Column<Group>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 220,
    grow: 2,
    cell: ({ id, name }) => (
      <Link to="/groups/$groupId" params={{ groupId: id }} className="rounded font-medium hover:text-accent-text">
        {name}
      </Link>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    width: 110,
    cell: ({ type }) => <Badge tone={type === 'dynamic' ? 'info' : 'plain'}>{typeLabels[type]}</Badge>,
  },
  { id: 'devices', header: 'Devices', width: 100, align: 'end', cell: ({ deviceCount }) => count(deviceCount) },
  organizationColumn,
  siteColumn,
  {
    id: 'description',
    header: 'Description',
    width: 170,
    grow: 2,
    cell: ({ description }) => <span className="text-muted">{description ?? ''}</span>,
  },
  {
    id: 'evaluated',
    header: 'Filter applied',
    width: 120,
    cell: ({ type, evaluatedAt }) => (type === 'dynamic' ? <Ago at={evaluatedAt} /> : '–'),
  },
]
