import { faultOfCron, nextTime } from '@muster/areas/change/automations/triggers/next-time.rules.ts'
import { isTimezone } from '@muster/kit/contract.ts'
import { useMemo } from 'react'
import { TextField } from '../../../../../ui/form/fields.tsx'
import { Select } from '../../../../../ui/form/Select.tsx'
import { TimezoneField } from '../../../../../ui/form/TimezoneField.tsx'
import { Moment, useZone } from '../../../../../ui/text/time.tsx'
import { localWords } from '../../../../control/maintenance/words.tsx'
import { cronWords } from '../../cronWords.ts'
import type { TriggerProps } from '../editorProps.ts'

const usual = [
  ['0 * * * *', 'Hourly'],
  ['0 2 * * *', 'Daily at 02:00'],
  ['0 2 * * 1-5', 'Monday to Friday at 02:00'],
  ['0 2 * * 0', 'Sunday at 02:00'],
  ['0 2 1 * *', 'First of the month at 02:00'],
  ['0 2 * * 2#2', 'Second Tuesday of the month at 02:00'],
] as const
const shown = 5

/** A schedule with its next times, which are those of the server. */
export function ScheduleFields({ trigger, faultAt, change }: TriggerProps) {
  const { cron, timezone } = trigger
  const set = (part: Partial<typeof trigger>) => change({ ...trigger, ...part })
  const isZone = isTimezone(timezone.trim())
  const fault = isZone ? faultOfCron(cron, timezone.trim(), Date.now()) : null
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Cron expression"
          hint={fault === null ? cronWords(cron) : 'Minute, hour, day of the month, month, day of the week'}
          error={faultAt('trigger.cron') ?? fault ?? undefined}
          autoComplete="off"
          spellCheck={false}
          value={cron}
          onChange={({ target }) => set({ cron: target.value })}
        />
        <span className="grid content-start gap-1">
          <span aria-hidden className="font-medium text-sm">
            Usual schedules
          </span>
          <Select
            label="Usual schedules"
            none="Select one"
            className="w-full"
            value={usual.find(([each]) => each === cron)?.[0]}
            options={usual}
            choose={(next) => next && set({ cron: next })}
          />
        </span>
        <TimezoneField
          label="Time zone"
          error={faultAt('trigger.timezone') ?? (isZone ? undefined : 'Enter a time zone such as Europe/Berlin')}
          value={timezone}
          onChange={({ target }) => set({ timezone: target.value })}
        />
        <TextField
          label="Catch up within (seconds)"
          hint="A time that is later than this is missed"
          error={faultAt('trigger.catchUpSeconds')}
          inputMode="numeric"
          value={trigger.catchUpSeconds}
          onChange={({ target }) => set({ catchUpSeconds: target.value })}
        />
      </div>
      {isZone && fault === null && <NextTimes cron={cron} timezone={timezone.trim()} />}
    </>
  )
}

function NextTimes({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  const zone = useZone()
  const times = useMemo(() => nextTimes(cron, timezone), [cron, timezone])
  return (
    <section aria-label="Next times" aria-live="polite" className="grid gap-1.5 rounded-lg bg-sunken px-4 py-3 text-sm">
      <h4 className="font-semibold">Next times</h4>
      <ol className="grid gap-1">
        {times.map((at) => (
          <li key={at} className="flex flex-wrap justify-between gap-x-4">
            <span>
              {localWords(at, timezone)} <span className="text-muted">{timezone}</span>
            </span>
            {timezone !== zone && (
              <span className="text-muted text-xs">
                <Moment at={at} /> for you
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function nextTimes(cron: string, timezone: string): string[] {
  const found: string[] = []
  let next = nextTime(cron, timezone, Date.now())
  while (next !== null && found.length < shown) {
    found.push(new Date(next).toISOString())
    next = nextTime(cron, timezone, next)
  }
  return found
}
