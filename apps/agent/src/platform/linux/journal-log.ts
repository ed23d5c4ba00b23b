import { type Event, EventLevel, type ListEvents } from '@muster/wire/commands/event-logs.ts'
import { z } from 'zod'
import { ToolFailure } from '../../tool-failure.ts'
import { type Host, runProgram } from './systemd.ts'

type Asked = z.infer<typeof ListEvents>

const messageCharsMax = 8_000
const fieldCharsMax = 2_000
/** Entries searched per request; the next page continues from there. */
const searchedMax = 5_000
const cursorShape = /^[a-z]=[0-9a-f]+(;[a-z]=[0-9a-f]+)*$/

const Entry = z.record(z.string(), z.unknown())
type Entry = z.infer<typeof Entry>

/** The systemd journal, read with journalctl. */
export class Journal {
  readonly #host: Host

  constructor(host: Host) {
    this.#host = host
  }

  /** Whether there is a journal with any entry. */
  async exists(): Promise<boolean> {
    return (await this.#entries(['--lines=1']).catch(() => [])).length > 0
  }

  async size(): Promise<number | null> {
    const { stdout } = await runProgram(this.#host, 'journalctl', ['--no-pager', '--disk-usage'])
    const [, figure = '', unit = ''] = /take up ([\d.]+)([BKMGT])/.exec(stdout) ?? []
    const factor = 1024 ** 'BKMGT'.indexOf(unit)
    return figure === '' ? null : Math.round(Number(figure) * factor)
  }

  async span(): Promise<{ firstAt: string | null; lastAt: string | null }> {
    const [last] = await this.#entries(['--lines=1'])
    const [first] = await this.#entries(['--lines=+1']).catch(() => [])
    return { firstAt: first === undefined ? null : timeOf(first), lastAt: last === undefined ? null : timeOf(last) }
  }

  async events(asked: Asked) {
    const { limit, search, before } = asked
    if (before !== undefined && !cursorShape.test(before)) throw unknownRecord()
    const most = search === undefined ? limit : searchedMax
    const skipped = before === undefined ? 0 : 1
    const read = await this.#entries([
      '--reverse',
      // One more, to know whether more follow; and the entry at the cursor, which the previous answer had.
      `--lines=${most + skipped + 1}`,
      ...conditions(asked),
      ...(before === undefined ? [] : [`--cursor=${before}`]),
    ])
    const since = asked.since === undefined ? 0 : Date.parse(asked.since)
    const tooOld = read.findIndex((entry) => Date.parse(timeOf(entry) ?? '') < since)
    const looked = read.slice(skipped, tooOld < 0 ? undefined : tooOld)
    const events: Event[] = []
    const wanted = search?.toLowerCase()
    let last = -1
    while (last + 1 < Math.min(looked.length, most) && events.length < limit) {
      const event = eventOf(looked[++last] ?? {})
      if (wanted === undefined || event.message.toLowerCase().includes(wanted)) events.push(event)
    }
    return { events, nextBefore: last + 1 < looked.length ? String(looked[last]?.__CURSOR ?? '') : null }
  }

  async event(recordId: string) {
    if (!cursorShape.test(recordId)) throw unknownRecord()
    const [entry] = await this.#entries(['--lines=1', `--cursor=${recordId}`])
    if (entry === undefined || entry.__CURSOR !== recordId) throw unknownRecord()
    const fields = Object.fromEntries(
      Object.entries(entry).map(([name, value]) => [name, textOf(value).slice(0, fieldCharsMax)]),
    )
    return { ...eventOf(entry), fields }
  }

  async #entries(args: readonly string[]): Promise<Entry[]> {
    const { exitCode, stdout, stderr } = await runProgram(this.#host, 'journalctl', [
      '--no-pager',
      '--quiet',
      '--output=json',
      ...args,
    ])
    if (exitCode !== 0 && stdout === '') throw new ToolFailure('COMMAND_FAILED', stderr.trim().slice(0, 500))
    return parseJournal(stdout)
  }
}

const unknownRecord = () => new ToolFailure('NOT_FOUND', 'Event not found')

/** The entries of `journalctl --output=json`; invalid lines are skipped. */
export function parseJournal(text: string): Entry[] {
  return text.split('\n').flatMap((line) => {
    try {
      const entry = Entry.safeParse(JSON.parse(line))
      return entry.success ? [entry.data] : []
    } catch {
      return []
    }
  })
}

/** With a cursor journalctl takes no times: everything after `until` was passed already, and `since` is checked here. */
function conditions({ level, source, since, until, before }: Asked): string[] {
  return [
    ...(level === undefined ? [] : [`--priority=${EventLevel.options.indexOf(level)}`]),
    ...(since === undefined || before !== undefined ? [] : [`--since=@${Math.floor(Date.parse(since) / 1000)}`]),
    ...(until === undefined || before !== undefined ? [] : [`--until=@${Math.ceil(Date.parse(until) / 1000)}`]),
    // A user may mean either field; journalctl joins matches of two fields with a plus sign.
    ...(source === undefined ? [] : [`SYSLOG_IDENTIFIER=${source}`, '+', `_SYSTEMD_UNIT=${source}`]),
  ]
}

function eventOf(entry: Entry): Event {
  const pid = Number(entry._PID ?? entry.SYSLOG_PID)
  const source = entry.SYSLOG_IDENTIFIER ?? entry._SYSTEMD_UNIT ?? entry._COMM
  return {
    recordId: String(entry.__CURSOR ?? ''),
    at: timeOf(entry),
    level: EventLevel.options[Number(entry.PRIORITY ?? Number.NaN)] ?? null,
    source: source === undefined ? null : textOf(source).slice(0, 255),
    pid: Number.isInteger(pid) && pid > 0 ? pid : null,
    message: textOf(entry.MESSAGE).slice(0, messageCharsMax),
  }
}

function timeOf(entry: Entry): string | null {
  const ms = Number(entry.__REALTIME_TIMESTAMP) / 1000
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null
}

/** journalctl writes invalid UTF-8 as an array of bytes, and a repeated field as an array of texts. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value.every((byte) => typeof byte === 'number')
    ? Buffer.from(value).toString('utf8')
    : value.filter((part) => typeof part === 'string').join(' ')
}
