import { Link } from '@tanstack/react-router'
import { useTargetNames } from './useTargetNames.ts'

/** Devices by name, each a link to its page. */
export function DeviceLinks({ deviceIds }: { readonly deviceIds: readonly string[] }) {
  const nameOf = useTargetNames({ groupIds: [], deviceIds })
  return (
    <ul className="grid gap-1 text-sm">
      {deviceIds.map((deviceId) => (
        <li key={deviceId}>
          <Link to="/devices/$deviceId" params={{ deviceId }} className="rounded text-accent-text underline">
            {nameOf('deviceIds', deviceId)}
          </Link>
        </li>
      ))}
    </ul>
  )
}
