import {
  type ApprovalSummary,
  ApprovalStatus as statuses,
} from '@muster/areas/control/commands/approvals/approval-summary.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { UserCheck } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Badge } from '../../../ui/display.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { count } from '../../../ui/quantity.ts'
import { Select } from '../../../ui/Select.tsx'
import { Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'
import { ApprovalDialog } from './ApprovalDialog.tsx'
import { approvalWords } from './approvalStatus.ts'
import { commandWords } from './CommandMark.tsx'
import { CommandStopButton } from './CommandStop.tsx'

const limit = 25
/** Commands that wait for a second person, and the stop for all commands. */
export function ApprovalsPage() {
  const { page = 1, status, approval } = useSearch({ from: '/app/approvals' })
  const navigate = useNavigate({ from: '/approvals' })
  const open = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, approval: id }) })
  const answer = useApiQuery(
    (api) => api.devices.approvals.list,
    { page, limit, ...(status && { status }) },
    { keepLast: true, everyMs: 10_000 },
  )
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  return (
    <Page fill title="Approvals" lead="Large commands waiting for a second person" actions={<CommandStopButton />}>
      <div className="mb-3 flex gap-2">
        <Select
          label="Status"
          none="All statuses"
          value={status ?? ''}
          options={statuses.options.map((each) => [each, approvalWords[each][0]])}
          choose={(next) =>
            void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
          }
        />
      </div>
      <DataTable
        label="Approvals"
        rows={rows}
        columns={useApprovalColumns(open)}
        answer={answer}
        total={pagination.total}
        rowId={({ id }) => id}
        empty={
          <Note icon={UserCheck} title={status ? 'No matches' : 'No pending approvals'}>
            Commands for more than 100 devices or several organizations appear here if Settings require a second person.
          </Note>
        }
        footer={
          <Pages
            {...pagination}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        }
      />
      {approval && <ApprovalDialog id={approval} close={() => open(undefined)} />}
    </Page>
  )
}

function useApprovalColumns(open: (id: string) => void): readonly Column<ApprovalSummary>[] {
  const me = useMe()
  return [
    {
      id: 'type',
      header: 'Command',
      width: 180,
      grow: 1,
      cell: ({ id, type }) => (
        <button type="button" className="rounded font-medium hover:text-accent-text" onClick={() => open(id)}>
          {commandWords(type)}
        </button>
      ),
    },
    { id: 'devices', header: 'Devices', width: 100, align: 'end', cell: ({ devices }) => count(devices) },
    {
      id: 'who',
      header: 'Requested by',
      width: 200,
      grow: 1,
      cell: ({ requestedBy, requestedByEmail }) =>
        requestedBy === me.id ? 'you' : (requestedByEmail ?? 'Your IT provider'),
    },
    {
      id: 'status',
      header: 'Status',
      width: 110,
      cell: ({ status }) => <Badge tone={approvalWords[status][1]}>{approvalWords[status][0]}</Badge>,
    },
    { id: 'reason', header: 'Reason', width: 180, grow: 1, cell: ({ reason }) => reason ?? '' },
    { id: 'asked', header: 'Requested', width: 120, cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      id: 'ends',
      header: 'Expires',
      width: 120,
      cell: ({ expiresAt, status }) => (status === 'pending' ? <Ago at={expiresAt} /> : '–'),
    },
  ]
}
