import type { AlertDetail } from '@muster/areas/watch/alerts/alerts.contract.ts'
import { useFullList } from '../../../queries.ts'
import { Card } from '../../../ui/page/display.tsx'
import { Moment, useTimes } from '../../../ui/text/time.tsx'
import { entryKey, messageText } from './timelineText.ts'

type Entry = AlertDetail['timeline'][number]

const words: Readonly<Record<Entry['kind'], string>> = {
  opened: 'Opened',
  repeated: 'Happened again',
  reopened: 'Reopened',
  acknowledged: 'Acknowledged',
  suppressed: 'Suppressed',
  activated: 'Active again',
  resolved: 'Resolved',
  cleared: 'Condition ended',
  message: 'Message',
}

/** What happened to the alert, the oldest first. */
export function Timeline({ alert: { timeline } }: { readonly alert: AlertDetail }) {
  const { moment } = useTimes()
  const channels = useFullList((api) => api.alertChannels.channels.list, {}, { staleMs: 60_000 }).data ?? []
  const names = new Map(channels.map(({ id, name }) => [id, name]))
  return (
    <Card title="Timeline">
      <ol aria-label="Timeline" className="grid gap-3 border-line border-l pl-4 text-sm">
        {timeline.map((entry, index) => (
          <li key={entryKey(entry, index)} className="grid gap-0.5">
            <span className="flex flex-wrap justify-between gap-x-3">
              <span>
                <span className="font-medium">{words[entry.kind]}</span>
                {entry.kind === 'message' && <span> {messageText(entry.details, names)}</span>}
                {entry.kind !== 'message' && <span className="text-muted"> by {entry.actorName ?? 'Muster'}</span>}
              </span>
              <span className="text-muted">
                <Moment at={entry.at} seconds />
              </span>
            </span>
            {typeof entry.details.until === 'string' && (
              <span className="text-muted">Until {moment(entry.details.until)}</span>
            )}
            {entry.note && <p className="text-muted">{entry.note}</p>}
          </li>
        ))}
      </ol>
    </Card>
  )
}
