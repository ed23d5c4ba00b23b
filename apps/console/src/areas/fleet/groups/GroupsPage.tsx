import type { Group } from '@muster/areas/fleet/groups/groups.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Boxes, Plus } from 'lucide-react'
import { useState } from 'react'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/Button.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Badge } from '../../../ui/display.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { count } from '../../../ui/quantity.ts'
import { SearchField } from '../../../ui/SearchField.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { usePlaceNames } from '../devices/columns.tsx'
import { GroupForm } from './GroupForm.tsx'

const limit = 50
const types = [
  ['static', 'Chosen by hand'],
  ['dynamic', 'By a filter'],
] as const
export const typeWords = { static: 'By hand', dynamic: 'By filter' } as const

/** The sets of devices that people work with. */
export function GroupsPage() {
  const { page = 1, q, type } = useSearch({ from: '/app/groups' })
  const navigate = useNavigate({ from: '/groups' })
  const { org, site } = usePlace()
  const [isMaking, setMaking] = useState(false)
  const blocked = !useCan()('devices:write') && 'You need the permission to change devices and groups'
  const narrow = (next: { q?: string | undefined; type?: Group['type'] | undefined; page?: number | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const answer = useApiQuery(
    (api) => api.groups.groups.list,
    {
      page,
      limit,
      ...(q && { search: q }),
      ...(type && { type }),
      ...(org && { orgId: org }),
      ...(site && { siteId: site }),
    },
    { keepLast: true },
  )
  useRefreshOn((event) => event.type === 'device.changed', ['groups.groups.list'], 10_000)
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  const columns = useGroupColumns()
  const add = (
    <Button kind="primary" blocked={blocked} onClick={() => setMaking(true)}>
      <Plus aria-hidden className="size-4" />
      New group
    </Button>
  )
  const isNarrowed = Boolean(q ?? type)
  return (
    <Page fill title="Groups" lead="Sets of devices, for lists, commands and agent versions." actions={add}>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchField
          label="Search groups"
          placeholder="Search by name"
          value={q ?? ''}
          change={(text) => narrow({ q: text || undefined })}
        />
        <Select
          label="How devices come in"
          none="Every kind"
          value={type ?? ''}
          options={types}
          choose={(next) => narrow({ type: next })}
        />
      </div>
      <DataTable
        label="Groups"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        answer={answer}
        total={pagination.total}
        empty={
          <Note icon={Boxes} title={isNarrowed ? 'No group matches' : 'No groups yet'} action={!isNarrowed && add}>
            {isNarrowed
              ? 'Try fewer letters or another kind.'
              : 'Put devices together by hand, or let a filter choose them and keep the choice up to date.'}
          </Note>
        }
        footer={<Pages {...pagination} set={(next) => narrow({ page: next > 1 ? next : undefined })} />}
      />
      {isMaking && (
        <GroupForm
          close={() => setMaking(false)}
          done={({ id }) => void navigate({ to: '/groups/$groupId', params: { groupId: id } })}
        />
      )}
    </Page>
  )
}

function useGroupColumns(): readonly Column<Group>[] {
  const { orgs, sites } = usePlaceNames()
  return [
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
      header: 'Members',
      width: 110,
      cell: ({ type }) => <Badge tone={type === 'dynamic' ? 'info' : 'plain'}>{typeWords[type]}</Badge>,
    },
    { id: 'devices', header: 'Devices', width: 100, align: 'end', cell: ({ deviceCount }) => count(deviceCount) },
    { id: 'org', header: 'Organisation', width: 150, grow: 1, cell: ({ orgId }) => orgs.get(orgId) ?? '–' },
    { id: 'site', header: 'Site', width: 130, grow: 1, cell: ({ siteId }) => sites.get(siteId ?? '') ?? '–' },
    {
      id: 'about',
      header: 'Description',
      width: 180,
      grow: 2,
      cell: ({ description }) => <span className="text-muted">{description ?? ''}</span>,
    },
    {
      id: 'looked',
      header: 'Filter applied',
      width: 120,
      cell: ({ type, evaluatedAt }) => (type === 'dynamic' ? <Ago at={evaluatedAt} /> : '–'),
    },
  ]
}
