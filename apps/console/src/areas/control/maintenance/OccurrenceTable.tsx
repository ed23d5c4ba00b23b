import type { Occurrence } from '@muster/areas/control/maintenance/occurrences/occurrences.contract.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import type { List } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { Moment } from '../../../ui/text/time.tsx'
import { heldBack, StatusBadge } from './words.tsx'

interface Props {
  readonly list: List<Occurrence>
  readonly empty: ReactNode
}

/** Occurrences of one window. */
export const OccurrenceTable = ({ list, empty }: Props) => (
  <ListTable label="Occurrences" list={list} columns={columns} rowId={({ id }) => id} empty={empty} />
)

const columns: readonly Column<Occurrence>[] = [
  {
    id: 'start',
    header: 'Start',
    width: 190,
    grow: 1,
    cell: ({ id, startsAt, startedAt }) => (
      <Link
        to="/maintenance/occurrences/$occurrenceId"
        params={{ occurrenceId: id }}
        className="rounded font-medium hover:underline"
      >
        <Moment at={startedAt ?? startsAt} />
      </Link>
    ),
  },
  {
    id: 'end',
    header: 'End',
    width: 190,
    grow: 1,
    cell: ({ endsAt, endedAt }) => <Moment at={endedAt ?? endsAt} />,
  },
  { id: 'status', header: 'Status', width: 95, cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'devices', header: 'Devices', width: 80, align: 'end', cell: ({ deviceCount }) => count(deviceCount) },
  {
    id: 'suppressed',
    header: 'Held back',
    width: 180,
    grow: 2,
    cell: ({ suppressed }) => <span className="text-muted">{heldBack(suppressed).join(', ') || '–'}</span>,
  },
  {
    id: 'missing',
    header: 'Not returned',
    width: 100,
    align: 'end',
    cell: ({ notReturned }) => (notReturned.length === 0 ? '–' : count(notReturned.length)),
  },
  { id: 'zone', header: 'Time zone', width: 140, cell: ({ timezone }) => timezone },
]
