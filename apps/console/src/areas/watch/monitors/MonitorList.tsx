import type { Monitor } from '@muster/areas/watch/monitors/monitors.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Radar } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { usePlace } from '../../../shell/place.ts'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListTable, Tools } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn, siteColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { type Asked, MonitorQuestions, useCheck, usePause } from './MonitorQuestions.tsx'
import { percent, reasonWords, responseTime, StatusBadge, statuses, types, typeWords } from './words.tsx'

interface Props {
  readonly add: ReactNode
  /** Why the user cannot change monitors. */
  readonly mayWrite: string | undefined
}
interface Open {
  readonly asked: Asked
  readonly of: Monitor
}
interface Narrowing {
  readonly q?: string | undefined
  readonly type?: Monitor['type'] | undefined
  readonly status?: Monitor['status'] | undefined
}

/** The monitors by name. The location in the header narrows them to an organization or a site. */
export function MonitorList({ add, mayWrite }: Props) {
  const { q, type, status } = useSearch({ from: '/app/monitors' })
  const navigate = useNavigate({ from: '/monitors' })
  const narrow = (next: Narrowing) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const { org, site } = usePlace()
  const [open, setOpen] = useState<Open | null>(null)
  const check = useCheck()
  const pause = usePause()
  const list = useList(
    (client) => client.monitors.monitors.list,
    {
      ...(q && { search: q }),
      ...(type && { type: [type] }),
      ...(status && { status: [status] }),
      ...(org && { orgId: org }),
      ...(site && { siteId: site }),
    },
    { everyMs: 10_000 },
  )
  const isNarrowed = Boolean(q || type || status)
  const acts = { check: check.run, pause, open: (asked: Asked, of: Monitor) => setOpen({ asked, of }) }
  return (
    <>
      <Tools>
        <SearchField
          label="Search monitors"
          placeholder="Search by name or target"
          value={q}
          change={(text) => narrow({ q: text })}
        />
        <Select
          label="Status"
          none="All statuses"
          value={status}
          options={statuses}
          choose={(next) => narrow({ status: next })}
        />
        <Select label="Type" none="All types" value={type} options={types} choose={(next) => narrow({ type: next })} />
      </Tools>
      <ListTable
        label="Monitors"
        list={list}
        columns={columnsWith(mayWrite, acts)}
        rowId={({ id }) => id}
        empty={
          <NoRows
            icon={Radar}
            title="No monitors yet"
            action={add}
            clear={isNarrowed && (() => narrow({ q: undefined, type: undefined, status: undefined }))}
          >
            Create a monitor to check a website, a port, a host or a name from the devices of a site. It raises an alert
            when the target is offline.
          </NoRows>
        }
      />
      {check.shown}
      {open && <MonitorQuestions monitor={open.of} asked={open.asked} close={() => setOpen(null)} />}
    </>
  )
}

interface Acts {
  check(id: string): void
  pause(monitor: Monitor): void
  open(asked: Asked, of: Monitor): void
}

const columnsWith = (mayWrite: string | undefined, acts: Acts): readonly Column<Monitor>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 160,
    grow: 2,
    cell: ({ id, name }) => (
      <Link to="/monitors/$monitorId" params={{ monitorId: id }} className="rounded font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: 90, cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'type', header: 'Type', width: 90, cell: ({ type }) => typeWords.get(type) },
  {
    id: 'target',
    header: 'Target',
    width: 160,
    grow: 2,
    cell: ({ target }) => <span className="text-muted">{target}</span>,
  },
  organizationColumn,
  {
    id: 'response',
    header: 'Response',
    width: 80,
    align: 'end',
    cell: ({ lastResponseMs }) => responseTime(lastResponseMs),
  },
  { id: 'day', header: 'Uptime 24 h', width: 95, align: 'end', cell: ({ uptime24h }) => percent(uptime24h) },
  { id: 'checked', header: 'Last check', width: 105, cell: ({ lastCheckAt }) => <Ago at={lastCheckAt} /> },
  siteColumn,
  {
    id: 'reason',
    header: 'Reason',
    width: 150,
    grow: 2,
    cell: ({ statusReason }) => <span className="text-muted">{reasonWords(statusReason) ?? '–'}</span>,
  },
  { id: 'month', header: 'Uptime 30 d', width: 95, align: 'end', cell: ({ uptime30d }) => percent(uptime30d) },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (monitor) => (
      <RowMenu
        name={monitor.name}
        groups={[
          [
            {
              label: 'Check now',
              blocked: mayWrite ?? (monitor.enabled ? undefined : 'Resume the monitor first'),
              act: () => acts.check(monitor.id),
            },
            { label: 'Edit monitor', blocked: mayWrite, act: () => acts.open('edit', monitor) },
            {
              label: monitor.enabled ? 'Pause monitor' : 'Resume monitor',
              blocked: mayWrite,
              act: () => acts.pause(monitor),
            },
          ],
          [{ label: 'Delete monitor', danger: true, blocked: mayWrite, act: () => acts.open('delete', monitor) }],
        ]}
      />
    ),
  },
]
