import { Link } from '@tanstack/react-router'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { useTargetNames } from '../../fleet/targets/useTargetNames.ts'

interface Match {
  readonly deviceId: string
  readonly value: number | null
  readonly would: 'fire' | 'pending' | 'clear'
}
const states: Readonly<Record<Match['would'], readonly [Tone, string]>> = {
  fire: ['bad', 'Would open'],
  pending: ['warn', 'Waiting'],
  clear: ['good', 'Clear'],
}
const shown = 20
const noGroups: readonly string[] = []

/** The devices for which the conditions hold now. */
export function Matches({ matches }: { readonly matches: readonly Match[] }) {
  const first = matches.slice(0, shown)
  const nameOf = useTargetNames({ groupIds: noGroups, deviceIds: first.map(({ deviceId }) => deviceId) })
  return (
    <div className="grid gap-1 text-sm">
      <h4 className="font-medium">
        {matches.length === 0 ? 'No device matches now' : `${many(matches.length, 'device')} now`}
      </h4>
      <ul aria-label="Devices that match now" className="grid gap-1">
        {first.map(({ deviceId, value, would }) => (
          <li key={deviceId} className="flex items-center justify-between gap-3">
            <Link
              to="/devices/$deviceId"
              params={{ deviceId }}
              className="truncate rounded hover:text-accent-text hover:underline"
            >
              {nameOf('deviceIds', deviceId)}
            </Link>
            <span className="flex items-center gap-2">
              {value !== null && <span className="text-muted tabular">{Math.round(value * 100) / 100}</span>}
              <Badge tone={states[would][0]}>{states[would][1]}</Badge>
            </span>
          </li>
        ))}
      </ul>
      {matches.length > shown && <p className="text-muted">and {many(matches.length - shown, 'more', 'more')}</p>}
    </div>
  )
}
