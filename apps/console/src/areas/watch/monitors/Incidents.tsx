import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/page/display.tsx'
import { duration } from '../../../ui/text/quantity.ts'
import { Moment } from '../../../ui/text/time.tsx'

interface Props {
  readonly incidents: readonly {
    readonly monitorId: string
    readonly name: string
    readonly reason: string | null
    readonly startedAt: string
    readonly endedAt: string | null
    readonly seconds: number
  }[]
  /** Shown when there is no incident. */
  readonly none: string
  /** Of one monitor, whose name is known. */
  readonly withoutNames?: boolean
}

/** Times during which monitors were offline. */
export function Incidents({ incidents, none, withoutNames = false }: Props) {
  if (incidents.length === 0) return <p className="text-muted text-sm">{none}</p>
  return (
    <ol className="grid gap-2 text-sm">
      {incidents.map(({ monitorId, name, reason, startedAt, endedAt, seconds }) => (
        <li key={`${monitorId} ${startedAt}`} className="grid gap-0.5">
          <span className="flex flex-wrap items-center gap-x-2">
            {!withoutNames && (
              <Link to="/monitors/$monitorId" params={{ monitorId }} className="rounded font-medium hover:underline">
                {name}
              </Link>
            )}
            <Moment at={startedAt} />
            <span className="text-muted tabular">{duration(seconds)}</span>
            {endedAt === null && <Badge tone="bad">Ongoing</Badge>}
          </span>
          {reason !== null && <span className="break-words text-muted text-xs">{reason}</span>}
        </li>
      ))}
    </ol>
  )
}
