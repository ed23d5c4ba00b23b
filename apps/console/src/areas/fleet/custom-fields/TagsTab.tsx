import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Tags } from 'lucide-react'
import type { Api } from '../../../api.ts'
import { usePlace } from '../../../shell/place.ts'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { ListTable, Tools } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { many } from '../../../ui/text/quantity.ts'

type Tag = Awaited<ReturnType<Api['devices']['tags']['list']['query']>>['data'][number]

/** The tags in use, with links to their devices. */
export function TagsTab() {
  const { q } = useSearch({ from: '/app/fields' })
  const navigate = useNavigate({ from: '/fields' })
  const search = (text: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, q: text }), replace: true })
  const { org } = usePlace()
  const list = useList((api) => api.devices.tags.list, { ...(q && { search: q }), ...(org && { orgId: org }) })
  return (
    <>
      <Tools>
        <SearchField label="Search tags" placeholder="Search by name" value={q} change={search} />
      </Tools>
      <ListTable
        label="Tags"
        list={list}
        columns={columns}
        rowId={({ tag }) => tag}
        empty={
          <NoRows icon={Tags} title="No tags yet" clear={q && (() => search(undefined))}>
            Add tags on the page of a device, or to several devices in the list. This page shows how often they are
            used.
          </NoRows>
        }
      />
    </>
  )
}

const columns: readonly Column<Tag>[] = [
  { id: 'tag', header: 'Tag', width: 220, grow: 1, cell: ({ tag }) => <Badge>{tag}</Badge> },
  {
    id: 'devices',
    header: 'Devices',
    width: 160,
    grow: 2,
    cell: ({ tag, deviceCount }) => (
      <Link
        to="/devices"
        search={(now) => ({ org: now.org, site: now.site, tags: [tag] })}
        className="rounded font-medium hover:text-accent-text"
      >
        {many(deviceCount, 'device')}
      </Link>
    ),
  },
]
