import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../../queries.ts'
import { SeverityBadge, StatusBadge } from '../alerts/status.tsx'

/** The title of an alert, with a link to its page. @param withState also how it stands */
export function AlertLink({ id, withState = false }: { readonly id: string; readonly withState?: boolean }) {
  const alert = useApiQuery((api) => api.alerts.alerts.get, { id }, { staleMs: 15_000 }).data
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Link
        to="/alerts/$alertId"
        params={{ alertId: id }}
        className="truncate rounded font-medium hover:text-accent-text hover:underline"
      >
        {alert?.title ?? 'Alert'}
      </Link>
      {withState && alert && (
        <>
          <SeverityBadge severity={alert.severity} />
          <StatusBadge status={alert.status} />
        </>
      )}
    </span>
  )
}
