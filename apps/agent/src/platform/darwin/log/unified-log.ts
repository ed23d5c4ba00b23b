import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Event, EventLevel, type ListEvents } from '@muster/wire/commands/event-logs.ts'
import type { z } from 'zod'
import { ToolFailure } from '../../../tool-failure.ts'
import { fits } from '../../event-pages.ts'
import type { Mac } from '../mac.ts'
import { type LogLine, microsOf, quoted, showLog } from './log-show.ts'

type Asked = z.infer<typeof ListEvents>

const messageCharsMax = 8_000
const fieldCharsMax = 2_000
const secondMs = 1_000
/** The newest minute answers most requests; a quiet log needs longer spans. */
const firstSpanMs = 60 * secondMs
const spanGrowth = 4
/** macOS keeps ordinary events for days, and faults for about a month. */
const horizonMs = 31 * 24 * 3_600 * secondMs
const requestMs = 20 * secondMs
const runMsMin = 2 * secondMs
const stores = ['Persist', 'Special', 'Signpost', 'HighVolume']
const recordShape = /^(\d{15,17})-(\d{1,20})-(\d{1,20})$/
const levels = new Map<string, EventLevel>([
  ['Fault', 'critical'],
  ['Error', 'error'],
  ['Default', 'notice'],
  ['Info', 'info'],
  ['Debug', 'debug'],
])

/** The unified log of macOS, read backwards in spans by `log show`. */
export class UnifiedLog {
  readonly #mac: Mac
  readonly #searchMs: number

  constructor(mac: Mac, searchMs = requestMs) {
    this.#mac = mac
    this.#searchMs = searchMs
  }

  /** The size of its files, and the time of the oldest and newest one; null where the agent must not read them. */
  async summary(): Promise<{ sizeBytes: number | null; firstAt: string | null; lastAt: string | null }> {
    const files = (await Promise.all(stores.map((store) => this.#filesOf(store)))).flat()
    if (files.length === 0) return { sizeBytes: null, firstAt: null, lastAt: null }
    const moment = (ms: number) => new Date(Math.max(0, ms)).toISOString()
    return {
      sizeBytes: files.reduce((sum, { size }) => sum + size, 0),
      firstAt: moment(Math.min(...files.map(({ birthtimeMs, mtimeMs }) => birthtimeMs || mtimeMs))),
      lastAt: moment(Math.max(...files.map(({ mtimeMs }) => mtimeMs))),
    }
  }

  /** Searches back in time until the page is full, the beginning is reached, or the time for a request is over. */
  async events(asked: Asked): Promise<{ events: Event[]; nextBefore: string | null }> {
    const oldestMs = Math.max(asked.since === undefined ? 0 : Date.parse(asked.since), Date.now() - horizonMs)
    const events: Event[] = []
    const untilMs = performance.now() + this.#searchMs
    let toMicros = endOf(asked)
    for (let spanMs = firstSpanMs; toMicros / 1000 > oldestMs; spanMs *= spanGrowth) {
      const leftMs = untilMs - performance.now()
      if (leftMs < runMsMin) return { events, nextBefore: String(toMicros) }
      // Whole seconds, because log takes no fractions.
      const fromMs = Math.floor(Math.max(oldestMs, toMicros / 1000 - spanMs) / secondMs) * secondMs
      const [predicate, flags] = [predicateOf(asked), flagsOf(asked.level)]
      const span = { fromMs, toMs: toMicros / 1000, predicate, flags, accepts: acceptance(asked, toMicros) }
      const run = await showLog(this.#mac, span, asked.limit - events.length, leftMs)
      if (run === undefined && events.length === 0 && spanMs === firstSpanMs)
        throw new ToolFailure('TIMED_OUT', 'a minute of this log takes too long; filter by level, source or search')
      if (run === undefined) return { events, nextBefore: String(toMicros) }
      events.push(...run.lines.map(eventOf).reverse())
      if (run.isCut) return { events, nextBefore: events.at(-1)?.recordId ?? null }
      toMicros = fromMs * 1000
    }
    return { events, nextBefore: null }
  }

  async event(recordId: string): Promise<Event & { fields: Record<string, string> }> {
    const [, micros] = recordShape.exec(recordId) ?? []
    if (micros === undefined) throw unknownRecord()
    const ms = Math.floor(Number(micros) / 1000)
    const accepts = (line: LogLine) => recordOf(line) === recordId
    const flags = ['--info', '--debug']
    const run = await showLog(
      this.#mac,
      { fromMs: ms, toMs: ms, predicate: 'eventType == logEvent', flags, accepts },
      1,
      this.#searchMs,
    )
    const line = run?.lines[0]
    if (line === undefined) throw unknownRecord()
    const fields = Object.entries(line).map(([name, value]) => [name, textOf(value).slice(0, fieldCharsMax)])
    return { ...eventOf(line), fields: Object.fromEntries(fields) }
  }

  async #filesOf(store: string) {
    const folder = join(this.#mac.root, 'var/db/diagnostics', store)
    const names = await readdir(folder).catch(() => [])
    const stats = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)))
    return stats.flatMap((found) => (found?.isFile() === true ? [found] : []))
  }
}

const unknownRecord = () => new ToolFailure('NOT_FOUND', 'Event not found')

/** Where a page ends, exclusive, in microseconds. `before` is the last event of the previous page, or a time. */
function endOf({ before, until }: Asked): number {
  if (before === undefined) return (until === undefined ? Date.now() : Date.parse(until)) * 1000 + 1
  const [, micros] = recordShape.exec(before) ?? []
  if (micros !== undefined) return Number(micros) + 1
  if (!/^\d{15,17}$/.test(before)) throw unknownRecord()
  return Number(before)
}

/** Whether a line belongs on the page. Several events may have the same microsecond, so the page ends at its last record. */
function acceptance(asked: Asked, toMicros: number): (line: LogLine) => boolean {
  let isOver = false
  return (line) => {
    isOver ||= recordOf(line) === asked.before
    const micros = microsOf(line.timestamp)
    return !isOver && micros !== null && micros < toMicros && fits(eventOf(line), asked)
  }
}

export function eventOf(line: LogLine): Event {
  const micros = microsOf(line.timestamp)
  const { processImagePath, processID: pid = 0 } = line
  return {
    recordId: recordOf(line),
    at: micros === null ? null : new Date(Math.floor(micros / 1000)).toISOString(),
    level: levels.get(line.messageType ?? '') ?? null,
    source: (processImagePath ? basename(processImagePath) : line.subsystem)?.slice(0, 255) || null,
    pid: Number.isInteger(pid) && pid > 0 ? pid : null,
    message: (line.eventMessage ?? '').slice(0, messageCharsMax),
  }
}

const recordOf = ({ timestamp, machTimestamp = 0, threadID = 0 }: LogLine): string =>
  `${microsOf(timestamp) ?? 0}-${machTimestamp}-${threadID}`

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** `log` leaves info and debug messages out unless it is told. */
function flagsOf(level: EventLevel | undefined): string[] {
  if (level === 'debug') return ['--info', '--debug']
  return level === 'info' ? ['--info'] : []
}

/** The conditions of a request that `log` can check itself. */
export function predicateOf({ level, search, source }: Asked): string {
  const rank = level === undefined ? Number.POSITIVE_INFINITY : EventLevel.options.indexOf(level)
  const severe =
    rank <= EventLevel.options.indexOf('critical')
      ? ['messageType == fault']
      : rank <= EventLevel.options.indexOf('warning')
        ? ['(messageType == error OR messageType == fault)']
        : []
  return [
    'eventType == logEvent',
    ...severe,
    ...(search === undefined ? [] : [`eventMessage CONTAINS[c] ${quoted(search)}`]),
    ...(source === undefined ? [] : [`process == ${quoted(source)}`]),
  ].join(' AND ')
}
