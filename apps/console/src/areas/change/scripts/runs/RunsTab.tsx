import type { ExecutionSummary } from '@muster/areas/change/scripts/executions/executions.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useRefreshOn } from '../../../../live/Live.tsx'
import { RowButton } from '../../../../ui/button/RowButton.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import { ListTable, Tools } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { Ago } from '../../../../ui/text/time.tsx'
import { CommandMark } from '../../../control/commands/CommandMark.tsx'
import { CommandStatusSelect, commandStatusOf } from '../../../control/commands/CommandStatusSelect.tsx'
import { RunSeverity, severities } from '../words.tsx'
import { ExecutionDialog } from './ExecutionDialog.tsx'
import { RunOrigin } from './RunOrigin.tsx'

/** The runs of a script. They change while it is shown. */
export function RunsTab({ scriptId }: { readonly scriptId: string }) {
  const { severity, state, run } = useSearch({ from: '/app/scripts/$scriptId' })
  const navigate = useNavigate({ from: '/scripts/$scriptId' })
  const status = commandStatusOf(state)
  const narrow = (next: { severity?: typeof severity; state?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const open = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, run: id }) })
  const list = useList(
    (client) => client.scripts.executions.list,
    { id: scriptId, ...(status && { status: [status] }), ...(severity && { severity: [severity] }) },
    { limit: 25, everyMs: 15_000 },
  )
  useRefreshOn((event) => event.type === 'command.changed', ['scripts.executions.list'], 1_000)
  return (
    <>
      <Tools>
        <CommandStatusSelect status={status} choose={(next) => narrow({ state: next })} />
        <Select
          label="Severity"
          none="All severities"
          value={severity}
          options={severities}
          choose={(next) => narrow({ severity: next })}
        />
      </Tools>
      <ListTable
        label="Runs"
        list={list}
        rowId={({ id }) => id}
        columns={columnsWith(({ id }) => open(id))}
        empty={
          <NoRows
            icon={Play}
            title="No runs yet"
            clear={(status ?? severity) && (() => narrow({ state: undefined, severity: undefined }))}
          >
            Run the script, and each device appears here with its output.
          </NoRows>
        }
      />
      {run && <ExecutionDialog id={run} close={() => open(undefined)} />}
    </>
  )
}

const columnsWith = (open: (run: ExecutionSummary) => void): readonly Column<ExecutionSummary>[] => [
  {
    id: 'device',
    header: 'Device',
    width: 170,
    grow: 2,
    cell: (run) => <RowButton open={() => open(run)}>{run.hostname}</RowButton>,
  },
  { id: 'status', header: 'Status', width: 110, pinned: true, cell: ({ status }) => <CommandMark status={status} /> },
  { id: 'severity', header: 'Severity', width: 100, cell: ({ severity }) => <RunSeverity severity={severity} /> },
  { id: 'exit', header: 'Exit code', width: 90, align: 'end', cell: ({ exitCode }) => exitCode ?? '–' },
  { id: 'version', header: 'Version', width: 80, align: 'end', cell: ({ version }) => version },
  { id: 'origin', header: 'Origin', width: 110, cell: ({ origin }) => <RunOrigin origin={origin} /> },
  { id: 'error', header: 'Reason', width: 160, grow: 2, cell: ({ error }) => error ?? '' },
  { id: 'created', header: 'Created', width: 110, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: 'finished',
    header: 'Finished',
    width: 110,
    cell: ({ finishedAt }) => <Ago at={finishedAt} never="–" />,
  },
]
