import type { Filter } from '@muster/areas/fleet/filter-language/filter.contract.ts'
import { useEffect, useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { messageOf } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { StatusMark } from '../devices/status.tsx'

interface Props {
  /** Undefined while it has no sense. */
  readonly filter: Filter | undefined
  readonly orgId?: string | undefined
  readonly siteId?: string | undefined
}

const waitMs = 250
const shown = 5

/** The devices that a filter matches now. Nothing is saved. */
export function Preview({ filter, orgId, siteId }: Props) {
  const [asked, setAsked] = useState(filter)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(filter), waitMs)
    return () => clearTimeout(timer)
  }, [filter])
  const whole: Filter = {
    all: [...(asked ? [asked] : []), ...(siteId ? [{ field: 'siteId', op: 'is', value: siteId }] : [])],
  }
  const answer = useApiQuery(
    (api) => api.filters.filters.preview,
    { filter: whole, limit: shown, ...(orgId && { orgId }) },
    { enabled: asked !== undefined, keepLast: true },
  )
  if (filter === undefined)
    return <p className="text-muted text-sm">Add and complete conditions to see which devices match.</p>
  return (
    <section
      aria-label="Matching devices"
      aria-live="polite"
      className="grid gap-1.5 rounded-lg bg-sunken px-4 py-3 text-sm"
    >
      {answer.error ? (
        <p className="text-bad-text">{messageOf(answer.error)}</p>
      ) : !answer.data ? (
        <p className="text-muted">Searching …</p>
      ) : (
        <>
          <p className="font-semibold tabular">{many(answer.data.total, 'device')} now</p>
          <ul className="grid gap-1">
            {answer.data.devices.map(({ id, displayName, hostname, status }) => (
              <li key={id} className="flex items-center justify-between gap-4">
                <span className="truncate">{displayName ?? hostname}</span>
                <StatusMark status={status} />
              </li>
            ))}
          </ul>
          {answer.data.total > answer.data.devices.length && (
            <p className="text-muted">and {many(answer.data.total - answer.data.devices.length, 'more', 'more')}</p>
          )}
        </>
      )}
    </section>
  )
}
