import type { Alert } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { BellRing } from 'lucide-react'
import { useCan } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { buttonClass } from '../../../ui/button/Button.tsx'
import { SearchField } from '../../../ui/form/SearchField.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn, siteColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { AlertBulkBar, AlertMenu } from './AlertActions.tsx'
import { AlertDevice } from './AlertDevice.tsx'
import { openStatuses } from './openStatuses.ts'
import { SeverityBadge, StatusBadge } from './status.tsx'
import { type AlertActions, useAlertActions } from './useAlertActions.tsx'
import { useChosen } from './useChosen.ts'
import { severities, statuses } from './words.ts'

type Status = Alert['status'] | 'all'
const statusOptions = [['all', 'All statuses'], ...statuses] as const
const sortNames = ['openedAt', 'severity', 'lastChangedAt'] as const

interface Narrowing {
  readonly q?: string | undefined
  readonly status?: Status | undefined
  readonly severity?: Alert['severity'] | undefined
}

/** The alerts that the address asks for: those that are open, unless it names others. */
function useAlerts() {
  const { q, status, severity, groupId, rule, sort = 'openedAt', dir = 'desc' } = useSearch({ from: '/app/alerts' })
  const { org, site } = usePlace()
  return useList(
    (api) => api.alerts.alerts.list,
    {
      sort,
      sortDir: dir,
      ...(status !== 'all' && { status: status ? [status] : [...openStatuses] }),
      ...(q && { search: q }),
      ...(severity && { severity: [severity] }),
      ...(groupId && { groupId }),
      ...(rule && { ruleId: rule }),
      ...(org && { orgId: org }),
      ...(site && { siteId: site }),
    },
    { everyMs: 5_000 },
  )
}

/** Problems of devices and sites. */
export function AlertsPage() {
  const search = useSearch({ from: '/app/alerts' })
  const { q, status, severity, groupId, rule, sort = 'openedAt', dir = 'desc' } = search
  const navigate = useNavigate({ from: '/alerts' })
  const narrow = (next: Narrowing) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...next }), replace: true })
  const list = useAlerts()
  const chosen = useChosen(list.rows)
  const actions = useAlertActions(chosen.clear)
  const clear = () => void navigate({ search: ({ org, site }) => ({ org, site }), replace: true })
  return (
    <ListPage
      title="Alerts"
      lead={
        rule ? 'Alerts of one rule.' : groupId ? 'Alerts that share messages.' : 'Problems of your devices and sites.'
      }
      tools={<AlertTools narrowing={search} narrow={narrow} />}
      label="Alerts"
      list={list}
      columns={columnsWith(actions)}
      rowId={({ id }) => id}
      rowLabel={({ title }) => title}
      selection={chosen.selection}
      sorting={{
        by: sort,
        dir,
        set: (by, next) => {
          const found = sortNames.find((name) => name === by)
          void navigate({ search: (now) => ({ ...now, page: undefined, sort: found, dir: next }), replace: true })
        },
      }}
      empty={<NoAlerts clear={Boolean(q || status || severity || groupId || rule) && clear} />}
    >
      <AlertBulkBar alerts={chosen.rows} actions={actions} clear={chosen.clear} />
      {actions.dialogs}
    </ListPage>
  )
}

interface ToolsProps {
  readonly narrowing: Narrowing
  narrow(next: Narrowing): void
}
const AlertTools = ({ narrowing: { q, status, severity }, narrow }: ToolsProps) => (
  <>
    <SearchField label="Search alerts" placeholder="Search by title" value={q} change={(text) => narrow({ q: text })} />
    <Select
      label="Status"
      none="Open alerts"
      value={status}
      options={statusOptions}
      choose={(next) => narrow({ status: next })}
    />
    <Select
      label="Severity"
      none="All severities"
      value={severity}
      options={severities}
      choose={(next) => narrow({ severity: next })}
    />
  </>
)

function NoAlerts({ clear }: { readonly clear: (() => void) | false }) {
  const mayWrite = useCan()('alerts:write')
  return (
    <NoRows
      icon={BellRing}
      title="No alerts"
      clear={clear}
      action={
        mayWrite && (
          <Link to="/alerts/rules" search={({ org, site }) => ({ org, site })} className={buttonClass('primary')}>
            Show alert rules
          </Link>
        )
      }
    >
      Rules open alerts when a device or a site has a problem.
    </NoRows>
  )
}

const columnsWith = (actions: AlertActions): readonly Column<Alert>[] => [
  {
    id: 'title',
    header: 'Title',
    width: 220,
    grow: 3,
    cell: ({ id, title }) => (
      <Link
        to="/alerts/$alertId"
        params={{ alertId: id }}
        className="rounded font-medium hover:text-accent-text hover:underline"
      >
        {title}
      </Link>
    ),
  },
  {
    id: 'severity',
    header: 'Severity',
    width: 90,
    sort: 'severity',
    cell: ({ severity }) => <SeverityBadge severity={severity} />,
  },
  { id: 'status', header: 'Status', width: 120, cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'opened', header: 'Opened', width: 100, sort: 'openedAt', cell: ({ openedAt }) => <Ago at={openedAt} /> },
  { id: 'device', header: 'Device', width: 140, grow: 1, cell: (alert) => <AlertDevice alert={alert} /> },
  organizationColumn,
  siteColumn,
  {
    id: 'changed',
    header: 'Changed',
    width: 100,
    sort: 'lastChangedAt',
    cell: ({ lastChangedAt }) => <Ago at={lastChangedAt} />,
  },
  { id: 'times', header: 'Occurrences', width: 100, align: 'end', cell: ({ occurrences }) => occurrences },
  { id: 'actions', header: 'Actions', width: 80, cell: (alert) => <AlertMenu alert={alert} actions={actions} /> },
]
