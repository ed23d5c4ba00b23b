import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Tags } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { DataTable } from '../../../ui/DataTable.tsx'
import { Badge } from '../../../ui/display.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { many } from '../../../ui/quantity.ts'
import { SearchField } from '../../../ui/SearchField.tsx'
import { Note } from '../../../ui/states.tsx'

const limit = 50

/** The tags in use, and the devices that carry each. */
export function TagsTab() {
  const { page = 1, q } = useSearch({ from: '/app/fields' })
  const navigate = useNavigate({ from: '/fields' })
  const { org } = usePlace()
  const answer = useApiQuery(
    (api) => api.devices.tags.list,
    { page, limit, ...(q && { search: q }), ...(org && { orgId: org }) },
    { keepLast: true },
  )
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  return (
    <>
      <div className="mb-3 flex gap-2">
        <SearchField
          label="Search tags"
          placeholder="Search by name"
          value={q ?? ''}
          change={(text) =>
            void navigate({ search: (now) => ({ ...now, page: undefined, q: text || undefined }), replace: true })
          }
        />
      </div>
      <DataTable
        label="Tags"
        rows={rows}
        answer={answer}
        total={pagination.total}
        rowId={({ tag }) => tag}
        columns={[
          { id: 'tag', header: 'Tag', width: 220, grow: 1, cell: ({ tag }) => <Badge>{tag}</Badge> },
          {
            id: 'devices',
            header: 'On',
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
        ]}
        empty={
          <Note icon={Tags} title={q ? 'No tag matches' : 'No tags yet'}>
            {q
              ? 'Try fewer letters.'
              : 'Give devices tags on their page, or to many at once from the list. They appear here with how often they are used.'}
          </Note>
        }
        footer={
          <Pages
            {...pagination}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
    </>
  )
}
