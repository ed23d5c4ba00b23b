import { useState } from 'react'
import type { Api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Loading, Refusal } from '../../../ui/page/states.tsx'
import { count, many } from '../../../ui/text/quantity.ts'
import { Matches } from './Matches.tsx'

type Result = Awaited<ReturnType<Api['alerts']['rules']['test']['query']>>

interface Props {
  /** Why the backtest cannot run yet. */
  readonly blocked?: string | false
  run(hours: number): Promise<Result>
}
const spans = [
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
  ['720', 'Last 30 days'],
] as const
type Span = (typeof spans)[number][0]
const dayMs = 86_400_000

/** What the rule would have done over stored history, and what matches now. Nothing is opened. */
export function Backtest({ blocked, run }: Props) {
  const [span, setSpan] = useState<Span>('24')
  const test = useApiMutation(run)
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Select label="Time" value={span} options={spans} choose={(next = '24') => setSpan(next)} />
        <Button busy={test.isPending} blocked={blocked} onClick={() => test.mutate(Number(span))}>
          Run backtest
        </Button>
      </div>
      {test.data ? (
        <Results result={test.data} hours={test.variables ?? 24} at={test.submittedAt} />
      ) : test.isPending ? (
        <Loading lines={3} label="Running the backtest" />
      ) : (
        <p className="text-muted text-sm">
          Shows what the rule would have done with stored heartbeats and events. No alert is opened.
        </p>
      )}
      <Refusal error={test.error} />
    </div>
  )
}

function Results({ result, hours, at }: { readonly result: Result; readonly hours: number; readonly at: number }) {
  const { alerts, messages, flaps, perDay } = result.backtest
  const figures = [
    ['Alerts', alerts],
    ['Messages', messages],
    ['Flapping', flaps],
    ['Targeted devices', result.total],
  ] as const
  return (
    <section aria-label="Result of the backtest" className="grid gap-3">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figures.map(([label, value]) => (
          <div key={label} className="rounded-lg bg-sunken px-3 py-2">
            <dt className="text-muted text-xs">{label}</dt>
            <dd className="font-semibold text-lg tabular">{value === null ? 'Unknown' : count(value)}</dd>
          </div>
        ))}
      </dl>
      {result.notes.map((note) => (
        <p key={note} className="text-muted text-sm">
          {note}
        </p>
      ))}
      {alerts !== null && alerts > 0 && <PerDay perDay={perDay} days={daysUntil(at, hours)} />}
      <Matches matches={result.matches} />
    </section>
  )
}

/** The days that a backtest covers, in UTC as the server counts them. */
function daysUntil(at: number, hours: number): string[] {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const first = Date.parse(dayOf(at - hours * 3_600_000))
  const length = Math.round((Date.parse(dayOf(at)) - first) / dayMs) + 1
  return Array.from({ length }, (_, index) => dayOf(first + index * dayMs))
}

interface PerDayProps {
  readonly perDay: Result['backtest']['perDay']
  readonly days: readonly string[]
}
function PerDay({ perDay, days }: PerDayProps) {
  const alertsOn = new Map(perDay.map(({ day, alerts }) => [day.slice(0, 10), alerts]))
  const most = Math.max(1, ...alertsOn.values())
  return (
    <figure className="grid gap-1">
      <figcaption className="text-muted text-xs">Alerts per day (UTC)</figcaption>
      <ol className="flex h-20 items-end gap-0.5">
        {days.map((day) => {
          const alerts = alertsOn.get(day) ?? 0
          return (
            <li
              key={day}
              title={`${day}: ${many(alerts, 'alert')}`}
              className="flex h-full min-w-0 max-w-16 flex-1 items-end"
            >
              <span className="sr-only">
                {day}: {many(alerts, 'alert')}
              </span>
              <span
                aria-hidden
                className={`w-full rounded-t ${alerts > 0 ? 'bg-accent' : 'bg-line'}`}
                style={{ height: alerts > 0 ? `${Math.max(6, (alerts / most) * 100)}%` : '2px' }}
              />
            </li>
          )
        })}
      </ol>
      <p aria-hidden className="text-muted text-xs tabular">
        {days[0]} to {days.at(-1)}
      </p>
    </figure>
  )
}
