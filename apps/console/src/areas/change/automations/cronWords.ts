// A cron expression of five fields in words, such as “At 02:30, Monday to Friday”. What has no better words is shown as it is written.
import { capital } from '../../../ui/text/words.ts'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const months = [
  ...['', 'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
]
const ordinals = ['', 'first', 'second', 'third', 'fourth', 'fifth']
const nicknames: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}
const timesMost = 4

const isNumbers = (field: string) => /^\d+(,\d+)*$/.test(field)
const stepOf = (field: string) => /^\*\/(\d+)$/.exec(field)?.[1]
const rangeOf = (field: string) => /^(\d+)-(\d+)$/.exec(field)?.slice(1)
const clock = (hour: string, minute: string) => `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`

function joined(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}

/** When in a day: “at 02:30”, “every 15 minutes from 09:00 to 17:59”. */
function timeWords(minute: string, hour: string): string {
  if (isNumbers(minute) && isNumbers(hour)) {
    const times = hour.split(',').flatMap((h) => minute.split(',').map((m) => clock(h, m)))
    if (times.length <= timesMost) return `at ${joined(times)}`
  }
  const often = oftenWords(minute)
  const [from, to] = rangeOf(hour) ?? []
  if (often !== undefined && hour === '*') return often
  if (often !== undefined && from !== undefined && to !== undefined)
    return `${often} from ${clock(from, '0')} to ${to}:59`
  const step = stepOf(hour)
  if (minute === '0' && hour === '*') return 'hourly'
  if (minute === '0' && step !== undefined) return `every ${step} hours`
  if (isNumbers(minute) && minute !== '0' && hour === '*') return `hourly at minute ${joined(minute.split(','))}`
  if (minute === '0' && from !== undefined && to !== undefined)
    return `hourly from ${clock(from, '0')} to ${clock(to, '0')}`
  return `at minute ${minute} of hour ${hour}`
}

function oftenWords(minute: string): string | undefined {
  const step = stepOf(minute)
  return minute === '*' ? 'each minute' : step === undefined ? undefined : `every ${step} minutes`
}

/** Names in place of numbers and of abbreviations: “Monday to Friday”. Undefined for other notations. */
function namedWords(field: string, names: readonly string[]): string | undefined {
  const nameOf = (text: string) =>
    names[Number(text)] ?? names.find((name) => name !== '' && name.slice(0, 3).toUpperCase() === text.toUpperCase())
  const words = field.split(',').map((part) => {
    const ends = part.split('-').map(nameOf)
    return ends.includes(undefined) || ends.length > 2 ? undefined : ends.join(' to ')
  })
  return words.every((each) => each !== undefined) ? joined(words) : undefined
}

function weekdayWords(field: string): string {
  const [, day = '', place = ''] = /^(\w+)#([1-5L])$/i.exec(field) ?? /^(\w+)(L)$/i.exec(field) ?? []
  const name = namedWords(day, days)
  if (name !== undefined && day !== '')
    return `on the ${place.toUpperCase() === 'L' ? 'last' : ordinals[Number(place)]} ${name} of the month`
  return namedWords(field, days) ?? `on weekdays ${field}`
}

function dayWords(field: string): string {
  if (field.toUpperCase() === 'L') return 'on the last day of the month'
  const step = stepOf(field)
  if (step !== undefined) return `every ${step} days of the month`
  const nearest = /^(\d+)W$/i.exec(field)?.[1]
  if (nearest !== undefined) return `on the weekday nearest to day ${nearest} of the month`
  const parts = field.split(',').map((part) => part.replace('-', ' to '))
  return `on day ${joined(parts)} of the month`
}

function monthWords(field: string): string {
  const step = stepOf(field)
  return step === undefined ? `in ${namedWords(field, months) ?? `months ${field}`}` : `every ${step} months`
}

/** A cron expression in words. Text that is no expression of five fields stays as it is. */
export function cronWords(cron: string): string {
  const text = cron.trim()
  const fields = (nicknames[text.toLowerCase()] ?? text).split(/\s+/)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields.map((field) =>
    field === '?' ? '*' : field,
  )
  if (fields.length !== 5) return text
  const time = timeWords(minute, hour)
  const which = [...(day === '*' ? [] : [dayWords(day)]), ...(weekday === '*' ? [] : [weekdayWords(weekday)])]
  const isDaily = which.length === 0 && time.startsWith('at ')
  return capital(
    [
      time,
      ...(isDaily ? ['daily'] : which.length > 0 ? [which.join(' or ')] : []),
      ...(month === '*' ? [] : [monthWords(month)]),
    ].join(', '),
  )
}
