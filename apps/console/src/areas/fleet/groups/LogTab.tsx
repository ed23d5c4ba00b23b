import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { DataTable } from '../../../ui/DataTable.tsx'
import { Badge, type Tone } from '../../../ui/display.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { Note } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'

const limit = 50
const actions: Readonly<Record<string, readonly [string, Tone]>> = {
  added: ['Came in', 'good'],
  removed: ['Left', 'warn'],
  pinned: ['Pinned', 'info'],
  unpinned: ['Unpinned', 'plain'],
}
const reasons: Readonly<Record<string, string>> = {
  manual: 'somebody did it',
  filter: 'the filter',
  moved: 'it moved to another organisation or site',
  decommissioned: 'it was decommissioned',
}

/** Who came into a group and who left it, and why. */
export function LogTab({ groupId }: { readonly groupId: string }) {
  const { page = 1 } = useSearch({ from: '/app/groups/$groupId' })
  const navigate = useNavigate({ from: '/groups/$groupId' })
  const answer = useApiQuery((api) => api.groups.members.log, { id: groupId, page, limit }, { keepLast: true })
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  return (
    <DataTable
      label="Membership log"
      rows={rows}
      answer={answer}
      total={pagination.total}
      rowId={({ id }) => id}
      columns={[
        { id: 'at', header: 'When', width: 180, cell: ({ at }) => <Moment at={at} /> },
        {
          id: 'device',
          header: 'Device',
          width: 220,
          grow: 1,
          cell: ({ deviceId, hostname }) => (
            <Link to="/devices/$deviceId" params={{ deviceId }} className="rounded font-medium hover:text-accent-text">
              {hostname ?? deviceId}
            </Link>
          ),
        },
        {
          id: 'action',
          header: 'What',
          width: 110,
          cell: ({ action }) => <Badge tone={actions[action]?.[1] ?? 'plain'}>{actions[action]?.[0] ?? action}</Badge>,
        },
        { id: 'reason', header: 'Why', width: 240, grow: 1, cell: ({ reason }) => reasons[reason] ?? reason },
      ]}
      empty={
        <Note icon={History} title="Nobody came or went yet">
          Every device that comes in or leaves is written down here.
        </Note>
      }
      footer={
        <Pages
          {...pagination}
          set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
        />
      }
    />
  )
}
