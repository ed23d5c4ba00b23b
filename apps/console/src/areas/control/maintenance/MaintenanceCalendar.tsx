import type { Occurrence } from '@muster/areas/control/maintenance/occurrences/occurrences.contract.ts'
import { instantOf, localOf } from '@muster/areas/control/maintenance/recurrence/wall-time.rules.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useFullList } from '../../../queries.ts'
import { usePlace } from '../../../shell/place.ts'
import { Button, IconButton } from '../../../ui/button/Button.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Tools } from '../../../ui/list/ListPage.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { useTimes, useZone } from '../../../ui/text/time.tsx'
import { daysOf, daysShown, moved, type View } from './calendarDays.ts'

const views = [
  ['month', 'Month'],
  ['week', 'Week'],
] as const
const dayMs = 86_400_000

const titleOf = (day: string, view: View, shown: readonly string[]): string => {
  const written = (each: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en', { timeZone: 'UTC', ...options }).format(new Date(`${each}T00:00Z`))
  if (view === 'month') return written(day, { month: 'long', year: 'numeric' })
  const of = (each = day) => written(each, { month: 'short', day: 'numeric', year: 'numeric' })
  return `${of(shown[0])} – ${of(shown.at(-1))}`
}

/** The occurrences of a month or week, in the user's time zone. */
export function MaintenanceCalendar() {
  const search = useSearch({ from: '/app/maintenance' })
  const navigate = useNavigate({ from: '/maintenance' })
  const { org, site } = usePlace()
  const zone = useZone()
  const today = localOf(zone, new Date()).slice(0, 10)
  const { day = today, view = 'month' } = search
  const go = (next: { day?: string | undefined; view?: 'week' | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: true })
  const shown = daysShown(day, view)
  const startOf = (each: string) => instantOf(zone, `${each}T00:00`)
  const from = startOf(shown[0] ?? day).toISOString()
  const to = new Date(startOf(shown.at(-1) ?? day).getTime() + dayMs).toISOString()
  const answer = useFullList((client) => client.maintenance.occurrences.list, {
    from,
    to,
    ...(org && { orgId: org }),
    ...(site && { siteId: site }),
  })
  return (
    <>
      <Tools>
        <IconButton small label={`Previous ${view}`} onClick={() => go({ day: moved(day, view, -1) })}>
          <ChevronLeft aria-hidden className="size-4" />
        </IconButton>
        <IconButton small label={`Next ${view}`} onClick={() => go({ day: moved(day, view, 1) })}>
          <ChevronRight aria-hidden className="size-4" />
        </IconButton>
        <Button small onClick={() => go({ day: undefined })}>
          Today
        </Button>
        <h2 className="font-semibold" aria-live="polite">
          {titleOf(day, view, shown)}
        </h2>
        <span className="flex-1" />
        <span className="text-muted text-sm">Times in {zone}</span>
        <Select
          label="View"
          value={view}
          className="w-28"
          options={views}
          choose={(next) => go({ view: next === 'week' ? 'week' : undefined })}
        />
      </Tools>
      {answer.data ? (
        <Grid
          occurrences={answer.data}
          shown={shown}
          view={view}
          zone={zone}
          today={today}
          month={view === 'month' ? day.slice(0, 7) : null}
        />
      ) : (
        <Pending answer={answer} />
      )}
    </>
  )
}

interface GridProps {
  readonly occurrences: readonly Occurrence[]
  readonly shown: readonly string[]
  readonly view: View
  readonly zone: string
  readonly today: string
  /** The month whose days stand out; null for all days. */
  readonly month: string | null
}
const weekdayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const shownInMonth = 4

/** On phones the days are a list, and those without an occurrence are left out. */
function Grid({ occurrences, shown, view, zone, today, month }: GridProps) {
  const byDay = new Map(shown.map((day): [string, Occurrence[]] => [day, []]))
  for (const occurrence of occurrences)
    for (const day of daysOf(occurrence, shown, zone)) byDay.get(day)?.push(occurrence)
  return (
    <div tabIndex={0} role="region" aria-label="Calendar" className="min-h-0 flex-1 overflow-auto">
      {occurrences.length === 0 && (
        <p className="mb-3 text-muted text-sm">
          Nothing is planned in this {view}. Occurrences are known for a year ahead.
        </p>
      )}
      <div aria-hidden className="hidden grid-cols-7 gap-px px-px pb-1 text-muted text-xs sm:grid">
        {weekdayNames.map((name) => (
          <span key={name} className="pl-1.5">
            {name}
          </span>
        ))}
      </div>
      <ol className="grid gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-7">
        {shown.map((day) => (
          <Day
            key={day}
            day={day}
            isToday={day === today}
            isFaint={month !== null && !day.startsWith(month)}
            isTall={view === 'week'}
            zone={zone}
            occurrences={byDay.get(day) ?? []}
          />
        ))}
      </ol>
    </div>
  )
}

interface DayProps extends Pick<GridProps, 'occurrences' | 'zone'> {
  readonly day: string
  readonly isToday: boolean
  readonly isFaint: boolean
  readonly isTall: boolean
}

function Day({ day, isToday, isFaint, isTall, zone, occurrences }: DayProps) {
  const listed = isTall ? occurrences : occurrences.slice(0, shownInMonth)
  const name = new Intl.DateTimeFormat('en', { timeZone: 'UTC', weekday: 'long', month: 'long', day: 'numeric' })
  return (
    <li
      aria-label={name.format(new Date(`${day}T00:00Z`))}
      aria-current={isToday ? 'date' : undefined}
      className={`min-w-0 p-1.5 ${isTall ? 'sm:min-h-80' : 'sm:min-h-28'} ${isFaint ? 'bg-canvas' : 'bg-surface'} ${
        occurrences.length === 0 ? 'hidden sm:block' : ''
      }`}
    >
      <p className={`mb-1 text-xs tabular ${isToday ? 'font-semibold text-accent-text' : 'text-muted'}`}>
        <span className="hidden sm:inline">{Number(day.slice(8))}</span>
        <span className="sm:hidden">{name.format(new Date(`${day}T00:00Z`))}</span>
      </p>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-1">
        {listed.map((occurrence) => (
          <li key={occurrence.id}>
            <Entry occurrence={occurrence} zone={zone} />
          </li>
        ))}
        {occurrences.length > listed.length && (
          <li>
            <Link
              to="/maintenance"
              search={({ org, site }) => ({ org, site, tab: 'calendar' as const, view: 'week' as const, day })}
              className="rounded text-accent-text text-xs underline"
            >
              {occurrences.length - listed.length} more
            </Link>
          </li>
        )}
      </ul>
    </li>
  )
}

const looks: Readonly<Record<Occurrence['status'], string>> = {
  scheduled: 'bg-accent-soft text-accent-text',
  active: 'bg-warn-soft text-warn-text',
  completed: 'bg-sunken text-muted',
  cancelled: 'bg-sunken text-muted line-through',
}

function Entry({ occurrence, zone }: { readonly occurrence: Occurrence; readonly zone: string }) {
  const { time } = useTimes()
  const { id, name, startsAt, endsAt, timezone, status } = occurrence
  return (
    <Link
      to="/maintenance/occurrences/$occurrenceId"
      params={{ occurrenceId: id }}
      className={`block truncate rounded px-1.5 py-0.5 text-xs hover:underline ${looks[status]}`}
      title={`${name}, ${time(startsAt)} – ${time(endsAt)}, window in ${timezone}`}
    >
      {time(startsAt)} {name}
      {timezone !== zone && <span className="block truncate">{timezone}</span>}
    </Link>
  )
}
