import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { question } from '../../../api.ts'
import { useScopeKey } from '../../../session/session.tsx'
import { Loading } from '../../../ui/page/states.tsx'
import { count, many } from '../../../ui/text/quantity.ts'
import { StatusMark } from '../../fleet/devices/status.tsx'

const shownMax = 20

/** The devices that a command waits for, each with its customer. Of many, the first ones. */
export function ApprovalDevices({ deviceIds }: { readonly deviceIds: readonly string[] }) {
  const scope = useScopeKey()
  const answers = useQueries({
    queries: deviceIds.slice(0, shownMax).map((id) => question(scope, (api) => api.devices.devices.get, { id })),
  })
  const devices = answers.flatMap(({ data }) => data ?? [])
  const hidden = deviceIds.length - devices.length
  if (answers.some(({ isPending }) => isPending)) return <Loading lines={3} label="Loading the devices" />
  return (
    <section aria-label="Devices" className="grid gap-1 text-sm">
      <h3 className="font-medium">{many(deviceIds.length, 'device')}</h3>
      <ul className="grid max-h-48 overflow-y-auto rounded-md border border-line">
        {devices.map(({ id, displayName, hostname, orgName, siteName, status }) => (
          <li key={id} className="flex items-center gap-3 border-line border-b px-3 py-1.5 last:border-0">
            <Link
              to="/devices/$deviceId"
              params={{ deviceId: id }}
              className="min-w-0 flex-1 truncate rounded font-medium hover:text-accent-text"
            >
              {displayName ?? hostname}
            </Link>
            <span className="min-w-0 flex-1 truncate text-muted">
              {orgName}
              {siteName && `, ${siteName}`}
            </span>
            <StatusMark status={status} />
          </li>
        ))}
      </ul>
      {hidden > 0 && <p className="text-muted text-xs">{`and ${count(hidden)} more`}</p>}
    </section>
  )
}
