import type { Deployment, DeviceStatus } from '@muster/areas/change/deployments/deployments.contract.ts'
import type { DeploymentDevice } from '@muster/areas/change/deployments/devices/devices.contract.ts'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Monitor } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListTable, Tools } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Page } from '../../../ui/page/Page.tsx'
import { PendingPage } from '../../../ui/page/PendingPage.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { Batches } from './Batches.tsx'
import { Steps } from './Steps.tsx'
import { useLiveDeployments } from './useLiveDeployments.ts'
import { useSteps } from './useSteps.ts'
import { DeviceBadge, deviceStatuses, orderText, reasonText, StatusBadge } from './words.tsx'

const up = { label: 'Deployments', to: '/deployments' } as const
/** What only commands change, such as that one runs, is read again after so long. */
const againMs = 10_000

/** One deployment: its batches as they are now, and its devices. */
export function DeploymentPage() {
  const { deploymentId: id } = useParams({ from: '/app/deployments/$deploymentId' })
  useLiveDeployments(id)
  const answer = useApiQuery((client) => client.deployments.deployments.get, { id }, { everyMs: againMs })
  if (!answer.data) return <PendingPage title="Deployment" up={up} answer={answer} />
  return <Known deployment={answer.data} />
}

function Known({ deployment }: { readonly deployment: Deployment }) {
  const { name, status, reason } = deployment
  return (
    <Page
      title={name}
      up={up}
      badge={<StatusBadge status={status} />}
      lead={reason === null ? orderText(deployment) : reasonText(reason)}
      actions={<Steps deployment={deployment} />}
    >
      <div className="grid gap-4">
        <Batches deployment={deployment} />
        <Devices deployment={deployment} />
      </div>
    </Page>
  )
}

function Devices({ deployment: { id, status: state, batches } }: { readonly deployment: Deployment }) {
  const { status, batch, q } = useSearch({ from: '/app/deployments/$deploymentId' })
  const navigate = useNavigate({ from: '/deployments/$deploymentId' })
  const narrow = (next: { status?: DeviceStatus | undefined; batch?: number | undefined; q?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...next, page: undefined }), replace: true })
  const filter = { id, ...(status && { status: [status] }), ...(batch && { batch }), ...(q && { search: q }) }
  const list = useList((client) => client.deployments.devices.list, filter, { everyMs: againMs })
  const mayWrite = useCan()('automations:write') ? undefined : 'You don’t have permission to edit automations'
  const isRetried = state === 'running' || state === 'halted' || state === 'completed'
  const { retry } = useSteps(id)
  const clear = status || batch || q ? () => narrow({ status: undefined, batch: undefined, q: undefined }) : undefined
  const blocked = mayWrite ?? (isRetried ? undefined : 'The deployment does not run')
  return (
    <section aria-label="Devices">
      <Tools>
        <SearchField
          label="Search devices"
          placeholder="Host name"
          value={q ?? ''}
          change={(text) => narrow({ q: text })}
        />
        <Select
          label="Status"
          none="All statuses"
          value={status}
          options={deviceStatuses}
          choose={(next) => narrow({ status: next })}
        />
        <Select
          label="Batch"
          none="All batches"
          value={batch === undefined ? undefined : String(batch)}
          options={batches.map(({ number }) => [String(number), `Batch ${number}`] as const)}
          choose={(next) => narrow({ batch: next === undefined ? undefined : Number(next) })}
        />
      </Tools>
      <ListTable
        label="Devices"
        list={list}
        columns={columnsWith(blocked, (deviceId) => retry.mutate(deviceId, { onError: toastError }))}
        rowId={({ deviceId }) => deviceId}
        empty={
          <NoRows icon={Monitor} title="No devices yet" clear={clear}>
            Initialize the deployment to fix its devices and draw its batches.
          </NoRows>
        }
      />
    </section>
  )
}

const columnsWith = (
  blocked: string | undefined,
  retry: (deviceId: string) => void,
): readonly Column<DeploymentDevice>[] => [
  {
    id: 'device',
    header: 'Device',
    width: 200,
    grow: 2,
    cell: ({ deviceId, hostname }) => (
      <Link to="/devices/$deviceId" params={{ deviceId }} className="rounded font-medium hover:underline">
        {hostname}
      </Link>
    ),
  },
  { id: 'batch', header: 'Batch', width: 70, align: 'end', cell: ({ batch }) => batch },
  { id: 'status', header: 'Status', width: 110, cell: ({ status }) => <DeviceBadge status={status} /> },
  {
    id: 'reason',
    header: 'Reason',
    width: 200,
    grow: 2,
    cell: ({ reason, error }) => (
      <span className="text-muted">{error ?? (reason === null ? '–' : reasonText(reason))}</span>
    ),
  },
  { id: 'exitCode', header: 'Exit code', width: 80, align: 'end', cell: ({ exitCode }) => exitCode ?? '–' },
  { id: 'attempt', header: 'Attempts', width: 80, align: 'end', cell: ({ attempt }) => attempt },
  { id: 'updated', header: 'Changed', width: 100, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: ({ deviceId, hostname, status }) => {
      const isEnded = status === 'failed' || status === 'skipped' || status === 'expired'
      const why = blocked ?? (isEnded ? undefined : 'Only devices that failed, were skipped or expired')
      return <RowMenu name={hostname} groups={[[{ label: 'Try again', blocked: why, act: () => retry(deviceId) }]]} />
    },
  },
]
