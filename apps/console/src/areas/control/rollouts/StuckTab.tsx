import type { DeviceUpdate } from '@muster/areas/control/rollouts/updates.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { useApiQuery } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { type Column, DataTable } from '../../../ui/DataTable.tsx'
import { Pages } from '../../../ui/Pages.tsx'
import { Note } from '../../../ui/states.tsx'
import { Ago } from '../../../ui/time.tsx'

const limit = 50

/** Devices that do not get on with their update by themselves. */
export function StuckTab() {
  const { page = 1 } = useSearch({ from: '/app/agent-versions' })
  const navigate = useNavigate({ from: '/agent-versions' })
  const { org } = usePlace()
  const answer = useApiQuery(
    (api) => api.rollouts.updates.stuck,
    { page, limit, ...(org && { orgId: org }) },
    { keepLast: true, everyMs: 15_000 },
  )
  const { data: rows = [], pagination = { page, limit, total: 0 } } = answer.data ?? {}
  return (
    <DataTable
      label="Stuck updates"
      rows={rows}
      columns={columns}
      answer={answer}
      total={pagination.total}
      rowId={({ deviceId }) => deviceId}
      empty={
        <Note icon={CircleCheck} title="No update is stuck">
          Devices that refuse a version, go back to the one before or do not take what is offered appear here.
        </Note>
      }
      footer={
        <Pages
          {...pagination}
          set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
        />
      }
    />
  )
}

const columns: readonly Column<DeviceUpdate>[] = [
  {
    id: 'device',
    header: 'Device',
    width: 190,
    grow: 1,
    cell: ({ deviceId, hostname }) => (
      <Link to="/devices/$deviceId" params={{ deviceId }} className="rounded font-medium hover:text-accent-text">
        {hostname}
      </Link>
    ),
  },
  { id: 'runs', header: 'Runs', width: 90, cell: ({ agentVersion }) => agentVersion ?? '–' },
  { id: 'version', header: 'Was offered', width: 110, cell: ({ version }) => version ?? '–' },
  { id: 'why', header: 'Why', width: 260, grow: 2, cell: ({ why }) => why },
  {
    id: 'said',
    header: 'What it said',
    width: 200,
    grow: 2,
    cell: ({ state, reason, error }) => [state, reason, error].filter(Boolean).join(': ').replaceAll('_', ' '),
  },
  { id: 'offers', header: 'Offers', width: 80, align: 'end', cell: ({ offers }) => offers },
  { id: 'last', header: 'Last word', width: 120, cell: ({ reportedAt }) => <Ago at={reportedAt} never="none" /> },
]
