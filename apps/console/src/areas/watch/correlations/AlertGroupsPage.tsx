import type { CorrelationGroup } from '@muster/areas/watch/templates/correlations.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Waypoints } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { RowButton } from '../../../ui/button/RowButton.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import { Badge } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { AlertLink } from './AlertLink.tsx'
import { confidenceText, GroupDetails } from './GroupDetails.tsx'

const statusOptions = [
  ['all', 'All groups'],
  ['closed', 'Closed groups'],
] as const

/** Alerts of the last 24 hours that belong together, with their probable cause. */
export function AlertGroupsPage() {
  const { status } = useSearch({ from: '/app/alerts/groups' })
  const navigate = useNavigate({ from: '/alerts/groups' })
  const { org } = usePlace()
  const [shown, setShown] = useState<CorrelationGroup | null>(null)
  const close = () => setShown(null)
  const list = useList(
    (api) => api.alertTemplates.correlations.groups,
    { ...(status !== 'all' && { status: status ?? ('open' as const) }), ...(org && { orgId: org }) },
    { everyMs: 10_000 },
  )
  const narrow = (next: 'all' | 'closed' | undefined) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, status: next }), replace: true })
  return (
    <ListPage
      title="Related alerts"
      lead="Alerts of the last 24 hours that belong together, with their probable cause."
      tools={<Select label="Status" none="Open groups" value={status} options={statusOptions} choose={narrow} />}
      label="Groups of alerts"
      list={list}
      columns={columnsWith(setShown)}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={Waypoints} title="No related alerts" clear={status && (() => narrow(undefined))}>
          Alerts that open close together, on one device or at one site, appear here as a group.
        </NoRows>
      }
    >
      {shown && (
        <Dialog open wide title="Related alerts" close={close} actions={<Button onClick={close}>Done</Button>}>
          <GroupDetails group={shown} />
        </Dialog>
      )}
    </ListPage>
  )
}

const columnsWith = (show: (group: CorrelationGroup) => void): readonly Column<CorrelationGroup>[] => [
  {
    id: 'root',
    header: 'Probable cause',
    width: 240,
    grow: 2,
    cell: ({ rootAlertId }) => <AlertLink id={rootAlertId} />,
  },
  {
    id: 'alerts',
    header: 'Alerts',
    width: 100,
    pinned: true,
    cell: (group) => <RowButton open={() => show(group)}>{group.alertIds.length} alerts</RowButton>,
  },
  {
    id: 'confidence',
    header: 'Confidence',
    width: 100,
    align: 'end',
    cell: ({ confidence }) => confidenceText(confidence),
  },
  {
    id: 'evidence',
    header: 'Evidence',
    width: 240,
    grow: 3,
    cell: ({ evidence }) => <span title={evidence.join('. ')}>{evidence.slice(1).join('. ')}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: 90,
    cell: ({ status }) => (status === 'open' ? <Badge tone="bad">Open</Badge> : <Badge>Closed</Badge>),
  },
  organizationColumn,
]
