import { type BatchCommand, CommandStatus } from '@muster/areas/control/commands/commands.contract.ts'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { RotateCcw, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Pages } from '../../../ui/list/Pages.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { Note } from '../../../ui/page/states.tsx'
import { type Column, DataTable } from '../../../ui/table/DataTable.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { CommandDialog } from './CommandDialog.tsx'
import { CommandMark, commandStatusWords, commandWords } from './CommandMark.tsx'
import { failedStatuses, retryFailed } from './retryFailed.ts'

const limit = 50
const up = { label: 'Devices', to: '/devices' } as const

/** The results of a bulk command: a row per device, its output, and a retry for those that failed. */
export function RunPage() {
  const { batchId } = useParams({ from: '/app/runs/$batchId' })
  const { page = 1, state, command } = useSearch({ from: '/app/runs/$batchId' })
  const navigate = useNavigate({ from: '/runs/$batchId' })
  const status = CommandStatus.options.find((each) => each === state)
  const answer = useApiQuery(
    (api) => api.devices.commands.progress,
    { batchId, page, limit, ...(status && { status: [status] }) },
    { keepLast: true, everyMs: 5_000 },
  )
  useRefreshOn((event) => event.type === 'command.changed', ['devices.commands.progress'], 1_000)
  const open = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, command: id }) })
  const run = answer.data
  if (!run) return <PendingPage title="Run" up={up} answer={answer} />
  const failed = failedStatuses.reduce((sum, each) => sum + (run.byStatus[each] ?? 0), 0)
  const total = status ? (run.byStatus[status] ?? 0) : run.total
  const opened = run.commands.find(({ id }) => id === command)
  return (
    <Page
      fill
      title={commandWords(run.type)}
      up={up}
      lead={`${run.ended} of ${many(run.total, 'device')} finished, ${failed} failed`}
      actions={<RetryButton batchId={batchId} failed={failed} />}
    >
      <div className="mb-3 flex gap-2">
        <Select
          label="Status"
          none="All statuses"
          value={status}
          options={CommandStatus.options.map((each) => [each, commandStatusWords[each]])}
          choose={(next) => void navigate({ search: ({ org, site }) => ({ org, site, state: next }), replace: true })}
        />
      </div>
      <DataTable
        label="Results"
        rows={run.commands}
        columns={columnsWith(({ id }) => open(id))}
        answer={answer}
        total={total}
        rowId={({ id }) => id}
        empty={
          <Note icon={SquareTerminal} title="No matches">
            Select another status.
          </Note>
        }
        footer={
          <Pages
            page={page}
            limit={limit}
            total={total}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
      {opened && <CommandDialog deviceId={opened.deviceId} commandId={opened.id} close={() => open(undefined)} />}
    </Page>
  )
}

const columnsWith = (open: (command: BatchCommand) => void): readonly Column<BatchCommand>[] => [
  {
    id: 'device',
    header: 'Device',
    width: 150,
    grow: 2,
    cell: ({ deviceId, displayName, hostname }) => (
      <Link to="/devices/$deviceId" params={{ deviceId }} className="rounded font-medium hover:text-accent-text">
        {displayName ?? hostname}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: 110, pinned: true, cell: ({ status }) => <CommandMark status={status} /> },
  {
    id: 'output',
    header: 'Output',
    width: 110,
    pinned: true,
    cell: (row) => <RowButton open={() => open(row)}>Show output</RowButton>,
  },
  { id: 'exit', header: 'Exit code', width: 90, align: 'end', cell: ({ exitCode }) => exitCode ?? '–' },
  { id: 'error', header: 'Reason', width: 160, grow: 2, cell: ({ error }) => error ?? '' },
  { id: 'organization', header: 'Organization', width: 130, grow: 1, cell: ({ orgName }) => orgName },
  { id: 'finished', header: 'Finished', width: 110, cell: ({ finishedAt }) => <Ago at={finishedAt} never="–" /> },
]

function RetryButton({ batchId, failed }: { readonly batchId: string; readonly failed: number }) {
  const navigate = useNavigate()
  const can = useCan()
  const [isAsking, setAsking] = useState(false)
  const blocked =
    (!can('devices:execute') && 'You don’t have permission to send commands') || (failed === 0 && 'No device failed')
  return (
    <>
      <Button blocked={blocked} onClick={() => setAsking(true)}>
        <RotateCcw aria-hidden className="size-4" />
        Retry failed
      </Button>
      <Confirm
        open={isAsking}
        danger
        title={`Retry on ${many(failed, 'device')}?`}
        verb="Retry"
        close={() => setAsking(false)}
        act={async () => {
          const next = await retryFailed(batchId)
          if (next.batchId !== null) await navigate({ to: '/runs/$batchId', params: { batchId: next.batchId } })
          else if (next.approval !== null) await navigate({ to: '/approvals' })
          else toast('No device can run the command now', { bad: true })
        }}
      >
        The same command is sent again to the devices on which it failed, timed out or expired.
      </Confirm>
    </>
  )
}
