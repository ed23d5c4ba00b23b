import type { DeviceUpdate } from '@muster/areas/control/rollouts/updates/updates.contract.ts'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { usePlace } from '../../../shell/place.ts'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'

/** Devices whose update is stuck. */
export function StuckTab() {
  const { org } = usePlace()
  const list = useList((api) => api.rollouts.updates.stuck, org ? { orgId: org } : {}, { everyMs: 15_000 })
  return (
    <ListTable
      label="Stuck updates"
      list={list}
      columns={columns}
      rowId={({ deviceId }) => deviceId}
      empty={
        <NoRows icon={CircleCheck} title="No stuck updates">
          Devices that reject a version, roll back, or do not take an offer appear here.
        </NoRows>
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
  { id: 'current', header: 'Current', width: 90, cell: ({ agentVersion }) => agentVersion ?? '–' },
  { id: 'version', header: 'Target', width: 110, cell: ({ version }) => version ?? '–' },
  { id: 'why', header: 'Reason', width: 220, grow: 2, cell: ({ why }) => why },
  {
    id: 'report',
    header: 'Agent report',
    width: 180,
    grow: 2,
    cell: ({ state, reason, error }) => [state, reason, error].filter(Boolean).join(': ').replaceAll('_', ' '),
  },
  { id: 'offers', header: 'Attempts', width: 90, align: 'end', cell: ({ offers }) => offers },
  { id: 'last', header: 'Last report', width: 120, cell: ({ reportedAt }) => <Ago at={reportedAt} never="none" /> },
]
