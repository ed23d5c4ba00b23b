import { localOf } from '@muster/areas/control/maintenance/recurrence/wall-time.rules.ts'
import { useEffect, useEffectEvent } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { Button } from '../../../../ui/button/Button.tsx'
import { messageOf } from '../../../../ui/page/states.tsx'
import { many } from '../../../../ui/text/quantity.ts'
import { Moment, useZone } from '../../../../ui/text/time.tsx'
import { localWords, rangeWords } from '../words.tsx'
import { scheduleOf, type WindowDraft } from './windowDraft.ts'

interface Props {
  /** Null for the whole partner. */
  readonly orgId: string | null
  readonly draft: WindowDraft
  /** Why there is nothing to preview yet. */
  readonly fault: string | undefined
  /** Leaves out an occurrence by its local start. */
  skip(exDate: string): void
}

const waitMs = 350

/** The next 20 occurrences that the window would have. Nothing is saved. */
export function WindowPreview({ orgId, draft, fault, skip }: Props) {
  const { startsAt } = draft
  const zone = useZone()
  const input = { ...scheduleOf(draft), ...(orgId && { orgId }) }
  const preview = useApiMutation((given: typeof input) => api.maintenance.windows.preview.mutate(given))
  // As text, so that the same question is asked once.
  const asked = fault === undefined ? JSON.stringify(input) : undefined
  const ask = useEffectEvent(() => preview.mutate(input))
  useEffect(() => {
    if (asked === undefined) return
    const timer = setTimeout(() => ask(), waitMs)
    return () => clearTimeout(timer)
  }, [asked])
  const found = preview.data?.data
  return (
    <section
      aria-label="Next occurrences"
      aria-live="polite"
      className="grid gap-1.5 rounded-lg bg-sunken px-4 py-3 text-sm"
    >
      <h3 className="font-semibold">Next occurrences</h3>
      {fault !== undefined ? (
        <p className="text-muted">{fault} to see the next occurrences.</p>
      ) : preview.error ? (
        <p className="text-bad-text">{messageOf(preview.error)}</p>
      ) : !found ? (
        <p className="text-muted">Calculating …</p>
      ) : found.length === 0 ? (
        <p className="text-muted">No occurrence within a year. Later ones are known a year ahead.</p>
      ) : (
        <ol className="grid gap-1">
          {found.map(({ startsAt: at, endsAt, timezone, deviceCount }) => (
            <li key={`${at} ${timezone}`} className="flex flex-wrap items-center justify-between gap-x-4">
              <span>
                {rangeWords(at, endsAt, timezone)} <span className="text-muted">{timezone}</span>
              </span>
              <span className="flex items-center gap-2 text-muted text-xs">
                <span>
                  {timezone !== zone && (
                    <>
                      <Moment at={at} /> for you,{' '}
                    </>
                  )}
                  {many(deviceCount, 'device')}
                </span>
                {draft.recurrence.kind !== 'once' && (
                  <Button
                    small
                    kind="quiet"
                    aria-label={`Skip ${localWords(at, timezone)}`}
                    // The start of the rule counts, also where a change of the clocks moved it.
                    onClick={() => skip(`${localOf(timezone, new Date(at)).slice(0, 10)}${startsAt.slice(10)}`)}
                  >
                    Skip
                  </Button>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
