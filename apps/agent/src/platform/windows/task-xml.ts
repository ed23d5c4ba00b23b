import type { Task } from '@muster/wire/commands/tasks.ts'
import { type Element, find, parseXml, textOf } from './xml.ts'

/** A task of the Task Scheduler, from `schtasks /query /xml`. */
export interface ScheduledTask {
  task: Task
  description: string | null
  definition: string
}

const definitionCharsMax = 32_000

/**
 * The tasks in the output of `schtasks /query /xml ONE`: each is preceded by a comment with its path. A single task
 * (`/tn <path> /xml`) has none.
 */
export function parseTasks(xml: string, path?: string): ScheduledTask[] {
  if (path !== undefined) return [taskOf(path, xml)]
  const parts = [...xml.matchAll(/<!--\s*(\\[^\n]*?)\s*-->\s*(<Task\b[\s\S]*?<\/Task>)/g)]
  return parts.map(([, name = '', definition = '']) => taskOf(name, definition))
}

function taskOf(path: string, definition: string): ScheduledTask {
  const task = find(parseXml(definition), 'Task')
  const exec = find(task, 'Actions', 'Exec')
  const command = [textOf(exec, 'Command'), textOf(exec, 'Arguments')].filter((word) => word !== undefined).join(' ')
  const principal = find(task, 'Principals', 'Principal')
  return {
    task: {
      path: `task:${path}`,
      name: path.slice(path.lastIndexOf('\\') + 1),
      kind: 'task',
      enabled: textOf(task, 'Settings', 'Enabled') !== 'false',
      schedule: scheduleOf(find(task, 'Triggers')),
      user: textOf(principal, 'UserId') ?? textOf(principal, 'GroupId') ?? null,
      command: command || (find(task, 'Actions', 'ComHandler') === undefined ? null : 'COM handler'),
      nextRunAt: null,
      lastRunAt: null,
    },
    description: textOf(task, 'RegistrationInfo', 'Description') ?? null,
    definition: definition.slice(0, definitionCharsMax),
  }
}

const triggerWords: Readonly<Record<string, string>> = {
  BootTrigger: 'at startup',
  LogonTrigger: 'at logon',
  IdleTrigger: 'when idle',
  EventTrigger: 'on an event',
  RegistrationTrigger: 'when registered',
  SessionStateChangeTrigger: 'on a session change',
  TimeTrigger: 'once',
}

function scheduleOf(triggers: Element | undefined): string | null {
  const words = (triggers?.children ?? []).map((trigger) => {
    const start = textOf(trigger, 'StartBoundary')
    const repeat = textOf(trigger, 'Repetition', 'Interval')
    const parts = [
      trigger.name === 'CalendarTrigger' ? calendarWords(trigger) : (triggerWords[trigger.name] ?? trigger.name),
      ...(start === undefined ? [] : [`from ${start}`]),
      ...(repeat === undefined ? [] : [`every ${repeat}`]),
      ...(textOf(trigger, 'Enabled') === 'false' ? ['(disabled)'] : []),
    ]
    return parts.join(' ')
  })
  return words.length === 0 ? null : words.join('; ')
}

function calendarWords(trigger: Element): string {
  const days = textOf(trigger, 'ScheduleByDay', 'DaysInterval')
  if (days !== undefined) return days === '1' ? 'daily' : `every ${days} days`
  const week = find(trigger, 'ScheduleByWeek')
  if (week !== undefined) {
    const names = find(week, 'DaysOfWeek')?.children.map(({ name }) => name) ?? []
    return `weekly on ${names.join(', ')}`
  }
  return find(trigger, 'ScheduleByMonth') === undefined ? 'monthly on a weekday' : 'monthly'
}

/** Times of a task from the CSV of `schtasks /query /fo CSV /v`, whose columns have the same order in every language. */
export function parseTimes(csv: string): { nextRunAt: string | null; lastRunAt: string | null } {
  const row = csvRows(csv).find((cells) => cells.length > 6 && cells[1]?.startsWith('\\'))
  return { nextRunAt: momentOf(row?.[2]), lastRunAt: momentOf(row?.[5]) }
}

/** The format depends on the region of the machine: only unambiguous times are taken. */
function momentOf(text: string | undefined): string | null {
  const [, year, month, day, time] =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2}),? (\d{1,2}:\d\d:\d\d)$/.exec(text ?? '') ?? []
  if (year === undefined || month === undefined || day === undefined || time === undefined) return null
  const at = new Date(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${time.padStart(8, '0')}`)
  // Windows shows 30 November 1999 for a task that never ran.
  return Number.isFinite(at.getTime()) && at.getFullYear() > 1_999 ? at.toISOString() : null
}

function csvRows(csv: string): string[][] {
  return csv
    .split(/\r?\n/)
    .map((line) => [...line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, cell = '']) => cell.replaceAll('""', '"')))
}
