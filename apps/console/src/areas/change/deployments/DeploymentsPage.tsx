import type { DeploymentStatus, DeploymentSummary } from '@muster/areas/change/deployments/deployments.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { count } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { Progress } from './Progress.tsx'
import { useDeletion } from './useDeletion.tsx'
import { useLiveDeployments } from './useLiveDeployments.ts'
import { endedOf, orderText, reasonText, StatusBadge, statuses } from './words.tsx'

const DeploymentForm = lazy(() =>
  import('./form/DeploymentForm.tsx').then((module) => ({ default: module.DeploymentForm })),
)

/** Orders for many devices, batch after batch. */
export function DeploymentsPage() {
  const { status, q } = useSearch({ from: '/app/deployments' })
  const navigate = useNavigate({ from: '/deployments' })
  const narrow = (next: { status?: DeploymentStatus | undefined; q?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...next, page: undefined }), replace: true })
  const { org } = usePlace()
  const filter = { ...(status && { status }), ...(q && { search: q }), ...(org && { orgId: org }) }
  const list = useList((client) => client.deployments.deployments.list, filter, { everyMs: 30_000 })
  const blocked = useCan()('automations:write') ? undefined : 'You don’t have permission to edit automations'
  const add = useNewForm('New deployment', blocked)
  useLiveDeployments()
  const deletion = useDeletion()
  const clear = status || q ? () => narrow({ status: undefined, q: undefined }) : undefined
  return (
    <ListPage
      title="Deployments"
      lead="One order for many devices, in batches that halt when too many fail"
      actions={add.button}
      tools={
        <>
          <SearchField
            label="Search deployments"
            placeholder="Name"
            value={q ?? ''}
            change={(text) => narrow({ q: text })}
          />
          <Select
            label="Status"
            none="All statuses"
            value={status}
            options={statuses}
            choose={(next) => narrow({ status: next })}
          />
        </>
      }
      label="Deployments"
      list={list}
      columns={[...columns, actionsWith(deletion)]}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={Layers} title="No deployments yet" clear={clear}>
          Create one to give an order to many devices, batch after batch.
        </NoRows>
      }
    >
      {deletion.dialog}
      {add.isOpen && (
        <Suspense fallback={null}>
          <DeploymentForm
            close={add.close}
            done={({ id }) => void navigate({ to: '/deployments/$deploymentId', params: { deploymentId: id } })}
          />
        </Suspense>
      )}
    </ListPage>
  )
}

const actionsWith = ({ blockedFor, ask }: ReturnType<typeof useDeletion>): Column<DeploymentSummary> => ({
  id: 'actions',
  header: 'Actions',
  width: 80,
  cell: (deployment) => (
    <RowMenu
      name={deployment.name}
      groups={[[{ label: 'Delete', blocked: blockedFor(deployment), act: () => ask(deployment) }]]}
    />
  ),
})

const columns: readonly Column<DeploymentSummary>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 220,
    grow: 2,
    cell: ({ id, name }) => (
      <Link
        to="/deployments/$deploymentId"
        params={{ deploymentId: id }}
        className="rounded font-medium hover:underline"
      >
        {name}
      </Link>
    ),
  },
  { id: 'order', header: 'Order', width: 120, cell: (deployment) => orderText(deployment) },
  organizationColumn,
  { id: 'status', header: 'Status', width: 130, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'progress',
    header: 'Progress',
    width: 180,
    grow: 1,
    cell: ({ counts }) =>
      counts.total === 0 ? (
        <span className="text-muted">–</span>
      ) : (
        <span className="flex items-center gap-2">
          <Progress counts={counts} />
          <span className="shrink-0 text-muted text-xs tabular-nums">
            {count(endedOf(counts))} / {count(counts.total)}
          </span>
        </span>
      ),
  },
  {
    id: 'reason',
    header: 'Reason',
    width: 180,
    grow: 1,
    cell: ({ reason }) => <span className="text-muted">{reason === null ? '–' : reasonText(reason)}</span>,
  },
  { id: 'created', header: 'Created', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]
