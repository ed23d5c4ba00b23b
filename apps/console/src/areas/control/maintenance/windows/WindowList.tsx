import type { Window } from '@muster/areas/control/maintenance/windows.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CalendarClock } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { usePlace } from '../../../../shell/place.ts'
import { RowMenu } from '../../../../ui/button/RowMenu.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import { ListTable, Tools } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { count } from '../../../../ui/text/quantity.ts'
import { Moment } from '../../../../ui/text/time.tsx'
import { organizationColumn } from '../../../tenancy/tenancy/placeColumns.tsx'
import { effectWords, lengthWords, StatusBadge, statuses, zoneWords } from '../words.tsx'
import { recurrenceWords } from './recurrence.ts'
import { type Asked, isOver, WindowActions } from './WindowActions.tsx'

interface Props {
  readonly add: ReactNode
  /** Why the user cannot change windows. */
  readonly mayWrite: string | undefined
}
interface Open {
  readonly asked: Asked
  readonly of: Window
}

/** The maintenance windows, the newest first. */
export function WindowList({ add, mayWrite }: Props) {
  const { status } = useSearch({ from: '/app/maintenance' })
  const navigate = useNavigate({ from: '/maintenance' })
  const narrow = (next: Window['status'] | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  const { org, site } = usePlace()
  const [open, setOpen] = useState<Open | null>(null)
  const list = useList(
    (client) => client.maintenance.windows.list,
    { ...(status && { status }), ...(org && { orgId: org }), ...(site && { siteId: site }) },
    { everyMs: 10_000 },
  )
  return (
    <>
      <Tools>
        <Select label="Status" none="All statuses" value={status} options={statuses} choose={narrow} />
      </Tools>
      <ListTable
        label="Maintenance windows"
        list={list}
        columns={columnsWith(mayWrite, (asked, of) => setOpen({ asked, of }))}
        rowId={({ id }) => id}
        empty={
          <NoRows
            icon={CalendarClock}
            title="No maintenance windows yet"
            action={add}
            clear={status && (() => narrow(undefined))}
          >
            Create a window before planned work, so that it raises no alerts. Windows can also keep restarts and updates
            to agreed times.
          </NoRows>
        }
      />
      {open && <WindowActions window={open.of} asked={open.asked} close={() => setOpen(null)} />}
    </>
  )
}

const columnsWith = (
  mayWrite: string | undefined,
  open: (asked: Asked, of: Window) => void,
): readonly Column<Window>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 170,
    grow: 2,
    cell: ({ id, name }) => (
      <Link to="/maintenance/$windowId" params={{ windowId: id }} className="rounded font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: 95, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'next',
    header: 'Next start',
    width: 180,
    cell: ({ nextOccurrence }) => <Moment at={nextOccurrence?.startsAt ?? null} never="–" />,
  },
  {
    id: 'length',
    header: 'Duration',
    width: 110,
    cell: ({ durationMinutes }) => lengthWords(durationMinutes),
  },
  {
    id: 'repeats',
    header: 'Repeats',
    width: 110,
    grow: 1,
    cell: ({ rrule, startsAt }) => recurrenceWords(rrule, startsAt),
  },
  organizationColumn,
  { id: 'devices', header: 'Devices', width: 80, align: 'end', cell: ({ deviceCount }) => count(deviceCount) },
  {
    id: 'effects',
    header: 'Effects',
    width: 170,
    grow: 1,
    cell: ({ effects }) => <span className="text-muted">{effectWords(effects).join(', ')}</span>,
  },
  { id: 'zone', header: 'Time zone', width: 140, cell: ({ timezone }) => zoneWords(timezone) },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (window) => {
      const over = isOver(window) ? 'The window has ended' : undefined
      return (
        <RowMenu
          name={window.name}
          groups={[
            [
              { label: 'Edit window', blocked: mayWrite ?? over, act: () => open('edit', window) },
              { label: 'Cancel window', blocked: mayWrite ?? over, act: () => open('cancel', window) },
            ],
            [
              {
                label: 'Delete window',
                danger: true,
                blocked: mayWrite ?? (window.status === 'active' ? 'Cancel the active window first' : undefined),
                act: () => open('delete', window),
              },
            ],
          ]}
        />
      )
    },
  },
]
