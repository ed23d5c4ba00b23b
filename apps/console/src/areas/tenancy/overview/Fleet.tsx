import { useRefreshOn } from '../../../live/Live.tsx'
import { useApiQuery } from '../../../queries.ts'
import { useChoosePlace } from '../../../shell/place.ts'
import { Card } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { count } from '../../../ui/text/quantity.ts'

/** The partner's organizations, agent versions and operating systems. */
export function Fleet() {
  const choose = useChoosePlace()
  const answer = useApiQuery((api) => api.tenancy.dashboard.get, {}, { keepLast: true })
  useRefreshOn((event) => event.type === 'device.status', ['tenancy.dashboard'], 4_000)
  if (!answer.data)
    return (
      <Card title="Organizations">
        <Pending answer={answer} />
      </Card>
    )
  const { organizations, agentVersions, operatingSystems } = answer.data
  return (
    <div className="grid gap-4">
      <Card title="Organizations" flush>
        <ul>
          {organizations.slice(0, 10).map(({ id, name, devices: { total, online } }) => (
            <li
              key={id}
              className="flex items-center gap-3 border-line border-b px-4 py-2 last:border-0 hover:bg-hover"
            >
              <button
                type="button"
                className="flex-1 truncate rounded text-left font-medium hover:text-accent-text"
                onClick={() => choose({ org: id })}
              >
                {name}
              </button>
              <span className="text-muted text-sm tabular">
                {count(online)} of {count(total)} online
              </span>
              <Share part={online} whole={total} />
            </li>
          ))}
        </ul>
      </Card>
      <div className="grid gap-4 sm:grid-cols-2">
        <Kinds title="Agent versions" kinds={agentVersions} />
        <Kinds title="Operating systems" kinds={operatingSystems} />
      </div>
    </div>
  )
}

const Share = ({ part, whole }: { part: number; whole: number }) => (
  <span aria-hidden className="h-1.5 w-20 overflow-hidden rounded-full bg-line">
    <span className="block h-full bg-good" style={{ width: `${whole > 0 ? (part / whole) * 100 : 0}%` }} />
  </span>
)

function Kinds({
  title,
  kinds,
}: {
  readonly title: string
  readonly kinds: readonly { readonly name: string; readonly count: number }[]
}) {
  const most = Math.max(1, ...kinds.map((kind) => kind.count))
  return (
    <Card title={title}>
      {kinds.length === 0 ? (
        <p className="text-muted text-sm">No device has reported yet</p>
      ) : (
        <ul className="grid gap-2">
          {kinds.slice(0, 6).map(({ name, count: times }) => (
            <li key={name} className="grid gap-1">
              <span className="flex justify-between text-sm">
                <span>{name}</span>
                <span className="text-muted tabular">{count(times)}</span>
              </span>
              <span aria-hidden className="h-1.5 rounded-full bg-line">
                <span className="block h-full rounded-full bg-accent" style={{ width: `${(times / most) * 100}%` }} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
