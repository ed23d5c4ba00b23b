import {
  type ApprovalSummary,
  ApprovalStatus as statuses,
} from '@muster/areas/control/commands/approvals/approval-summary.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { UserCheck } from 'lucide-react'
import { useMe } from '../../../session/session.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { ApprovalDialog } from './ApprovalDialog.tsx'
import { approvalTitle, approvalWords } from './approvalStatus.ts'
import { CommandStopButton } from './CommandStop.tsx'

/** Commands that wait for a second person, and the stop for all commands. */
export function ApprovalsPage() {
  const { status, approval } = useSearch({ from: '/app/approvals' })
  const navigate = useNavigate({ from: '/approvals' })
  const open = (id: string | undefined) => void navigate({ search: (now) => ({ ...now, approval: id }) })
  const narrow = (next: ApprovalSummary['status'] | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  const list = useList((api) => api.devices.approvals.list, status ? { status } : {}, { limit: 25, everyMs: 10_000 })
  return (
    <ListPage
      title="Approvals"
      lead="Large commands waiting for a second person"
      actions={<CommandStopButton />}
      tools={
        <Select
          label="Status"
          none="All statuses"
          value={status}
          options={statuses.options.map((each) => [each, approvalWords[each][0]])}
          choose={narrow}
        />
      }
      label="Approvals"
      list={list}
      columns={useApprovalColumns(open)}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={UserCheck} title="No pending approvals" clear={status && (() => narrow(undefined))}>
          Commands for more than 100 devices or several organizations appear here if Settings require a second person.
        </NoRows>
      }
    >
      {approval && <ApprovalDialog id={approval} close={() => open(undefined)} />}
    </ListPage>
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
      cell: (row) => <RowButton open={() => open(row.id)}>{approvalTitle(row)}</RowButton>,
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
