import type { Alert } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { Link } from '@tanstack/react-router'

/** The device of an alert, under the name that it had when the alert opened. */
export function AlertDevice({ alert: { deviceId, context } }: { readonly alert: Alert }) {
  if (deviceId === null) return '–'
  const { hostname } = context
  return (
    <Link to="/devices/$deviceId" params={{ deviceId }} className="rounded hover:text-accent-text hover:underline">
      {typeof hostname === 'string' ? hostname : 'Show device'}
    </Link>
  )
}
