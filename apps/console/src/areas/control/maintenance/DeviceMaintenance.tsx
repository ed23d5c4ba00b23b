import type { Verdict } from '@muster/areas/control/maintenance/maintenance.contract.ts'
import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../../queries.ts'
import { Badge, Card, Facts } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { Moment } from '../../../ui/text/time.tsx'
import { activities } from './words.tsx'

const reasons: Readonly<Record<NonNullable<Verdict['reason']>, string>> = {
  suppressed: 'Suppressed',
  outside_window: 'Waits for a window',
  no_confining_window: 'No window planned',
  unknown: 'Schedule unknown',
}

/** What maintenance windows permit on a device now. */
export function DeviceMaintenance({ deviceId }: { readonly deviceId: string }) {
  const answer = useApiQuery((client) => client.maintenance.devices.get, { id: deviceId }, { everyMs: 30_000 })
  const found = answer.data?.activities
  const concerned = found ? activities.filter(([activity]) => found[activity].windowId !== null) : []
  return (
    <Card title="Maintenance">
      {!found ? (
        <Pending answer={answer} lines={3} />
      ) : concerned.length === 0 ? (
        <p className="text-muted text-sm">
          No window holds anything back now.{' '}
          <Link to="/maintenance" className="rounded text-accent-text underline">
            Maintenance windows
          </Link>
        </p>
      ) : (
        <Facts
          facts={concerned.map(([activity, label]) => [label, <State key={activity} verdict={found[activity]} />])}
        />
      )}
    </Card>
  )
}

function State({ verdict: { permitted, reason, windowId, until, nextPermittedAt } }: { readonly verdict: Verdict }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Badge tone={permitted ? 'good' : 'warn'}>{reason === null ? 'Permitted' : reasons[reason]}</Badge>
      {until ? (
        <span>
          until <Moment at={until} />
        </span>
      ) : (
        nextPermittedAt && (
          <span>
            from <Moment at={nextPermittedAt} />
          </span>
        )
      )}
      {windowId && (
        <Link to="/maintenance/$windowId" params={{ windowId }} className="rounded text-accent-text underline">
          Window
        </Link>
      )}
    </span>
  )
}
