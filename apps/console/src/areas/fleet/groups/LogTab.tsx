import { Link } from '@tanstack/react-router'
import { History } from 'lucide-react'
import type { Api } from '../../../api.ts'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Moment } from '../../../ui/text/time.tsx'

type Entry = Awaited<ReturnType<Api['groups']['members']['log']['query']>>['data'][number]

const actions: Readonly<Record<string, readonly [string, Tone]>> = {
  added: ['Added', 'good'],
  removed: ['Removed', 'warn'],
  pinned: ['Pinned', 'info'],
  unpinned: ['Unpinned', 'plain'],
}
const reasons: Readonly<Record<string, string>> = {
  manual: 'by a user',
  filter: 'by the membership rule',
  moved: 'moved to another organization or site',
  decommissioned: 'decommissioned',
}

/** The devices that were added to a group or removed from it, with the reason. */
export function LogTab({ groupId }: { readonly groupId: string }) {
  const list = useList((api) => api.groups.members.log, { id: groupId })
  return (
    <ListTable
      label="Membership log"
      list={list}
      columns={columns}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={History} title="No changes yet">
          The log shows each device that is added or removed.
        </NoRows>
      }
    />
  )
}

const columns: readonly Column<Entry>[] = [
  { id: 'at', header: 'Time', width: 180, cell: ({ at }) => <Moment at={at} /> },
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
    header: 'Change',
    width: 110,
    cell: ({ action }) => <Badge tone={actions[action]?.[1] ?? 'plain'}>{actions[action]?.[0] ?? action}</Badge>,
  },
  { id: 'reason', header: 'Reason', width: 240, grow: 1, cell: ({ reason }) => reasons[reason] ?? reason },
]
