import type { RunStatus, RunSummary } from '@muster/areas/change/automations/runs/runs.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { Select } from '../../../../ui/form/Select.tsx'
import { ListTable, Tools } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { Ago, Moment } from '../../../../ui/text/time.tsx'
import { RunBadge, reasonText, runStatuses, starterText } from '../words.tsx'
import { DeviceCounts } from './DeviceCounts.tsx'

/** The runs of an automation, newest first. */
export function RunsTab({ automationId: id }: { readonly automationId: string }) {
  const { status } = useSearch({ from: '/app/automations/$automationId' })
  const navigate = useNavigate({ from: '/automations/$automationId' })
  const narrow = (next: RunStatus | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  const list = useList(
    (client) => client.automations.runs.list,
    { id, ...(status && { status: [status] }) },
    { limit: 25, everyMs: 3_000 },
  )
  return (
    <>
      <Tools>
        <Select label="Status" none="All statuses" value={status} options={runStatuses} choose={narrow} />
      </Tools>
      <ListTable
        label="Runs"
        list={list}
        rowId={(run) => run.id}
        columns={columns}
        empty={
          <NoRows icon={History} title="No runs yet" clear={status && (() => narrow(undefined))}>
            Runs appear here with what each device got. They are kept for 90 days.
          </NoRows>
        }
      />
    </>
  )
}

const columns: readonly Column<RunSummary>[] = [
  {
    id: 'created',
    header: 'Started',
    width: 215,
    cell: ({ id, automationId, startedAt, createdAt }) => (
      <Link
        to="/automations/$automationId/runs/$runId"
        params={{ automationId, runId: id }}
        className="rounded font-medium hover:text-accent-text hover:underline"
      >
        <Moment at={startedAt ?? createdAt} seconds />
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: 130, pinned: true, cell: (run) => <RunBadge run={run} /> },
  {
    id: 'reason',
    header: 'Reason',
    width: 200,
    grow: 2,
    cell: ({ reason }) => <span className="text-muted">{reason === null ? '–' : reasonText(reason)}</span>,
  },
  { id: 'devices', header: 'Devices', width: 150, grow: 1, cell: (run) => <DeviceCounts run={run} /> },
  { id: 'by', header: 'Started by', width: 100, cell: (run) => starterText(run) },
  { id: 'finished', header: 'Finished', width: 110, cell: ({ finishedAt }) => <Ago at={finishedAt} never="–" /> },
]
