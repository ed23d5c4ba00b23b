import type { Transition } from '@muster/areas/change/device-policies/compliance/compliance.contract.ts'
import { Link } from '@tanstack/react-router'
import { History } from 'lucide-react'
import type { z } from 'zod'
import { ListTable } from '../../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../../ui/list/NoRows.tsx'
import { useList } from '../../../../ui/list/useList.ts'
import type { Column } from '../../../../ui/table/DataTable.tsx'
import { Moment } from '../../../../ui/text/time.tsx'
import { ComplianceBadge } from '../words.tsx'
import { failedText } from './FailedRules.tsx'

type TransitionRow = z.infer<typeof Transition>

/** When devices stopped and started to comply with a policy. */
export function HistoryTab({ policyId }: { readonly policyId: string }) {
  const list = useList((client) => client.policies.compliance.transitions, { id: policyId }, { everyMs: 5_000 })
  return (
    <ListTable
      label="History"
      list={list}
      columns={transitionColumns}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={History} title="No changes yet">
          Devices that stop or start to comply appear here for 90 days.
        </NoRows>
      }
    />
  )
}

export const transitionColumns: readonly Column<TransitionRow>[] = [
  { id: 'at', header: 'Time', width: 205, cell: ({ at }) => <Moment at={at} seconds /> },
  {
    id: 'device',
    header: 'Device',
    width: 150,
    grow: 1,
    pinned: true,
    cell: ({ deviceId, hostname }) => (
      <Link to="/devices/$deviceId" params={{ deviceId }} className="rounded font-medium hover:underline">
        {hostname}
      </Link>
    ),
  },
  { id: 'after', header: 'Became', width: 140, pinned: true, cell: ({ after }) => <ComplianceBadge status={after} /> },
  { id: 'before', header: 'Was', width: 140, cell: ({ before }) => <ComplianceBadge status={before} /> },
  {
    id: 'failed',
    header: 'Failed rules',
    width: 200,
    grow: 3,
    cell: ({ failed }) => <span title={failedText(failed)}>{failed.length === 0 ? '–' : failedText(failed)}</span>,
  },
]
