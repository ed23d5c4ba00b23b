import type { Policy } from '@muster/areas/change/device-policies/policies.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ClipboardCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { usePlace } from '../../../shell/place.ts'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListTable, Tools } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { ComplianceBar } from './ComplianceBar.tsx'
import type { PolicyActs } from './usePolicyActs.tsx'
import { modes, modeText, PolicyBadge, policyStatuses } from './words.tsx'

type Narrowing = Partial<Record<'q', string | undefined>> & {
  status?: Policy['status'] | undefined
  mode?: 'monitor' | 'warn' | undefined
}

interface Props {
  /** The button that adds a policy. */
  readonly add: ReactNode
  readonly acts: PolicyActs
}

/** The policies, and how many devices comply with each. */
export function PolicyList({ add, acts }: Props) {
  const { q, status, mode } = useSearch({ from: '/app/policies' })
  const navigate = useNavigate({ from: '/policies' })
  const narrow = (next: Narrowing) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const { org } = usePlace()
  const list = useList(
    (client) => client.policies.policies.list,
    {
      ...(q && { search: q }),
      ...(status && { status: [status] }),
      ...(mode && { mode: [mode] }),
      ...(org && { orgId: org }),
    },
    { everyMs: 15_000 },
  )
  const isNarrowed = Boolean(q || status || mode)
  return (
    <>
      <Tools>
        <SearchField
          label="Search policies"
          placeholder="Search by name"
          value={q}
          change={(text) => narrow({ q: text })}
        />
        <Select
          label="Status"
          none="All statuses"
          value={status}
          options={policyStatuses}
          choose={(next) => narrow({ status: next })}
        />
        <Select label="Mode" none="All modes" value={mode} options={modes} choose={(next) => narrow({ mode: next })} />
      </Tools>
      <ListTable
        label="Configuration policies"
        list={list}
        columns={columnsWith(acts)}
        rowId={({ id }) => id}
        empty={
          <NoRows
            icon={ClipboardCheck}
            title="No configuration policies yet"
            action={add}
            clear={isNarrowed && (() => narrow({ q: undefined, status: undefined, mode: undefined }))}
          >
            Create a policy: software, settings of files, services, free space and more.
          </NoRows>
        }
      />
    </>
  )
}

const columnsWith = (acts: PolicyActs): readonly Column<Policy>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 180,
    grow: 2,
    cell: ({ id, name }) => (
      <Link
        to="/policies/$policyId"
        params={{ policyId: id }}
        className="rounded font-medium hover:text-accent-text hover:underline"
      >
        {name}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: 90, cell: ({ status }) => <PolicyBadge status={status} /> },
  {
    id: 'compliance',
    header: 'Compliance',
    width: 170,
    grow: 2,
    cell: ({ status, counts }) =>
      status === 'active' ? <ComplianceBar counts={counts} /> : <span className="text-muted">–</span>,
  },
  { id: 'mode', header: 'Mode', width: 90, cell: ({ mode }) => modeText(mode) },
  { id: 'rules', header: 'Rules', width: 70, align: 'end', cell: ({ rules }) => rules.length },
  organizationColumn,
  { id: 'priority', header: 'Priority', width: 80, align: 'end', cell: ({ priority }) => priority },
  { id: 'updated', header: 'Updated', width: 100, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (policy) => <RowMenu name={policy.name} groups={acts.groupsFor(policy)} />,
  },
]
