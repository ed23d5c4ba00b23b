import type { WatchedDevice } from '@muster/areas/watch/notifications/device-watches.contract.ts'
import { Link } from '@tanstack/react-router'
import { BellRing } from 'lucide-react'
import { Button } from '../../../ui/button/Button.tsx'
import { ListTable } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn, siteColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { useWatching } from './useWatching.ts'

/** The offline devices that the signed-in user waits for. */
export function WatchList() {
  const list = useList((client) => client.notifications.deviceWatches.list, {}, { everyMs: 30_000 })
  const { stop } = useWatching()
  return (
    <ListTable
      label="Device watches"
      list={list}
      columns={columnsWith(stop)}
      rowId={({ deviceId }) => deviceId}
      empty={
        <NoRows icon={BellRing} title="No device watches">
          Select “Notify me” on the page of an offline device, and you are notified once when it is online again.
        </NoRows>
      }
    />
  )
}

const columnsWith = (stop: (deviceId: string) => void): readonly Column<WatchedDevice>[] => [
  {
    id: 'device',
    header: 'Device',
    width: 160,
    grow: 2,
    cell: ({ deviceId, name }) => (
      <Link to="/devices/$deviceId" params={{ deviceId }} className="rounded font-medium hover:text-accent-text">
        {name}
      </Link>
    ),
  },
  organizationColumn,
  siteColumn,
  { id: 'since', header: 'Since', width: 110, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 120,
    cell: ({ deviceId }) => (
      <Button small onClick={() => stop(deviceId)}>
        Stop watching
      </Button>
    ),
  },
]
