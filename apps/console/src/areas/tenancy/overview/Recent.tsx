import { useApiQuery } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { Badge, Card } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { actionWords } from './auditLabels.ts'

/** The latest audit records. */
export function Recent() {
  const { org } = usePlace()
  const answer = useApiQuery(
    (api) => api.audit.logs.recent,
    { limit: 10, ...(org && { orgId: org }) },
    { everyMs: 15_000, keepLast: true },
  )
  const records = answer.data?.data
  return (
    <Card title="Recent activity" flush>
      {records === undefined ? (
        <Pending answer={answer} />
      ) : (
        <ul>
          {records.map(({ id, action, actorEmail, actorType, resourceName, result, at }) => (
            <li key={id} className="flex items-center gap-3 border-line border-b px-4 py-2 text-sm last:border-0">
              <span className="min-w-0 flex-1 truncate">
                <span className="font-medium">{actionWords(action)}</span>
                {resourceName && <span> {resourceName}</span>}
                <span className="text-muted"> by {actorEmail ?? actorType}</span>
              </span>
              {result !== 'success' && <Badge tone="bad">{result}</Badge>}
              <span className="shrink-0 text-muted">
                <Ago at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
