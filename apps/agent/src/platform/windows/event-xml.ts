import type { EventLevel, ListEvents } from '@muster/wire/commands/event-logs.ts'
import type { z } from 'zod'
import { type Element, find, parseXml, textOf } from './xml.ts'

/** An event as Windows renders it. */
export interface EventXml {
  recordId: number
  at: string | null
  level: EventLevel | null
  provider: string
  eventId: string
  pid: number | null
  /** The values of the event by their names, or by their numbers. */
  data: Record<string, string>
  /** Every field of the system part, for the detail of an event. */
  system: Record<string, string>
}

const dataCharsMax = 2_000
/** Level 0 is written by programs that give none. */
const levels: readonly (EventLevel | null)[] = [null, 'critical', 'error', 'warning', 'info', 'debug']
const severity: readonly EventLevel[] = ['critical', 'error', 'warning', 'info', 'debug']

/** Parses one rendered event. */
export function parseEvent(xml: string): EventXml {
  const event = find(parseXml(xml), 'Event')
  const system = find(event, 'System')
  const at = Date.parse(find(system, 'TimeCreated')?.attributes.SystemTime ?? '')
  const pid = Number(find(system, 'Execution')?.attributes.ProcessID)
  return {
    recordId: Number(textOf(system, 'EventRecordID') ?? 0),
    at: Number.isFinite(at) ? new Date(at).toISOString() : null,
    level: levels[Number(textOf(system, 'Level') ?? 0)] ?? (textOf(system, 'Level') === '0' ? 'info' : null),
    provider: find(system, 'Provider')?.attributes.Name ?? '',
    eventId: textOf(system, 'EventID') ?? '',
    pid: Number.isInteger(pid) && pid > 0 ? pid : null,
    data: dataOf(find(event, 'EventData') ?? find(event, 'UserData')?.children[0]),
    system: fieldsOf(system),
  }
}

function dataOf(element: Element | undefined): Record<string, string> {
  const entries = (element?.children ?? []).map(({ name, attributes, text }, index) => {
    const key = attributes.Name ?? (name === 'Data' ? String(index + 1) : name)
    return [key, text.trim().slice(0, dataCharsMax)]
  })
  return Object.fromEntries(entries)
}

function fieldsOf(system: Element | undefined): Record<string, string> {
  const entries = (system?.children ?? []).flatMap(({ name, attributes, text }) => [
    ...(text.trim() === '' ? [] : [[name, text.trim()]]),
    ...Object.entries(attributes).map(([attribute, value]) => [`${name}.${attribute}`, value]),
  ])
  return Object.fromEntries(entries)
}

/** The XPath query for a request: level and everything more severe, provider, time and place in the log. */
export function queryOf({ level, source, since, until }: z.infer<typeof ListEvents>, before: number | null): string {
  const conditions: string[] = []
  if (level !== undefined)
    conditions.push(
      `(${levelsUpTo(level)
        .map((number) => `Level=${number}`)
        .join(' or ')})`,
    )
  if (source !== undefined) conditions.push(`Provider[@Name=${quoted(source)}]`)
  const times = [
    ...(since === undefined ? [] : [`@SystemTime>='${new Date(since).toISOString()}'`]),
    ...(until === undefined ? [] : [`@SystemTime<='${new Date(until).toISOString()}'`]),
  ]
  if (times.length > 0) conditions.push(`TimeCreated[${times.join(' and ')}]`)
  if (before !== null) conditions.push(`EventRecordID<${before}`)
  return conditions.length === 0 ? '*' : `*[System[${conditions.join(' and ')}]]`
}

// Windows has fewer levels than syslog; `notice` is information there.
function levelsUpTo(level: EventLevel): number[] {
  const known = level === 'emergency' || level === 'alert' ? 'critical' : level === 'notice' ? 'info' : level
  const most = severity.indexOf(known) + 1
  const numbers = Array.from({ length: most }, (_, index) => index + 1)
  return most >= 4 ? [...numbers, 0] : numbers
}

// XPath has no escape inside quotes: a text with both kinds cannot be the name of a provider.
const quoted = (text: string): string => (text.includes("'") ? `"${text.replaceAll('"', '')}"` : `'${text}'`)
