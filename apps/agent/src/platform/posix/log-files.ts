import { constants, type FileHandle, lstat, open, opendir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Event, EventLevel, EventLog, ListEvents } from '@muster/wire/commands/event-logs.ts'
import type { z } from 'zod'
import { failureOf, ToolFailure } from '../../tool-failure.ts'
import { fits } from '../event-pages.ts'

type Asked = z.infer<typeof ListEvents>

/** Bytes read per request, backwards from the end; the next page continues from there. */
const readBytesMax = 4 * 1024 * 1024
const lineCharsMax = 8_000
const foldersDeep = 2
/** Compressed old parts, and binary files. */
const unreadable = /(\.(gz|xz|bz2|zst|journal)|^(btmp|wtmp|lastlog|faillog|tallylog)(\.\d+)?)$/

interface Line {
  offset: number
  text: string
}

/** Text files below the system's log folder. A line is identified by its offset. */
export class LogFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async list(most: number): Promise<{ logs: EventLog[]; truncated: boolean }> {
    const names: string[] = []
    await this.#collect('', foldersDeep, names, most + 1)
    const logs = await Promise.all(
      names
        .sort()
        .slice(0, most)
        .map((name) => this.#log(name)),
    )
    return { logs: logs.filter((log) => log !== undefined), truncated: names.length > most }
  }

  async detail(name: string) {
    return this.#reading(name, async (file) => {
      const { size, mtimeMs } = await file.stat()
      const first = await linesBefore(file, Math.min(size, 64 * 1024))
      const last = await linesBefore(file, size, 64 * 1024)
      return {
        name,
        source: 'file' as const,
        sizeBytes: size,
        modifiedAt: new Date(mtimeMs).toISOString(),
        firstAt: first[0] === undefined ? null : (parseLine(first[0].text, new Date(mtimeMs)).at ?? null),
        lastAt: last.map(({ text }) => parseLine(text, new Date(mtimeMs)).at).findLast((at) => at !== null) ?? null,
      }
    })
  }

  async events(asked: Asked) {
    return this.#reading(asked.name, async (file) => {
      const { size, mtimeMs } = await file.stat()
      const end = asked.before === undefined ? size : Math.min(size, offsetOf(asked.before))
      const lines = await linesBefore(file, end)
      const events: Event[] = []
      let at = lines.length
      while (at > 0 && events.length < asked.limit) {
        const line = lines[--at]
        if (line === undefined || line.text === '') continue
        const event = { recordId: String(line.offset), ...parseLine(line.text, new Date(mtimeMs)) }
        if (fits(event, asked)) events.push(event)
      }
      const next = lines[at]?.offset ?? 0
      return { events, nextBefore: next > 0 ? String(next) : null }
    })
  }

  async event(name: string, recordId: string) {
    return this.#reading(name, async (file) => {
      const { size, mtimeMs } = await file.stat()
      const offset = offsetOf(recordId)
      const starts = offset < size && (offset === 0 || (await textAt(file, offset - 1, 1)) === '\n')
      if (!starts) throw new ToolFailure('NOT_FOUND', 'Event not found')
      const [text = ''] = (await textAt(file, offset, lineCharsMax)).split('\n')
      return { recordId, ...parseLine(text, new Date(mtimeMs)), fields: { line: text, file: join(this.#folder, name) } }
    })
  }

  async #collect(below: string, deep: number, names: string[], most: number): Promise<void> {
    const folder = await opendir(join(this.#folder, below)).catch(() => undefined)
    if (folder === undefined) return
    for await (const entry of folder) {
      if (names.length >= most) return
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory() && deep > 1 && entry.name !== 'journal') await this.#collect(name, deep - 1, names, most)
      else if (entry.isFile() && !unreadable.test(entry.name) && !entry.name.startsWith('.')) names.push(name)
    }
  }

  async #log(name: string): Promise<EventLog | undefined> {
    const found = await stat(join(this.#folder, name)).catch(() => undefined)
    if (found === undefined) return undefined
    return { name, source: 'file', sizeBytes: found.size, modifiedAt: new Date(found.mtimeMs).toISOString() }
  }

  /** Opens a file during a callback. A name that leads out of the folder through a link does not exist. */
  async #reading<T>(name: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
    const path = join(this.#folder, name)
    const absent = () => new ToolFailure('NOT_FOUND', `Event log ${name} not found`)
    if (name.split('/').includes('..') || unreadable.test(name)) throw absent()
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
      throw failureOf(error, `Event log ${name}`)
    })
    try {
      const [real, folder, opened] = await Promise.all([realpath(path), realpath(this.#folder), file.stat()])
      // A folder of the name may have been replaced since: what was opened has to be what stands below the log folder.
      const { ino, dev } = await lstat(real)
      if (!real.startsWith(`${folder}/`) || ino !== opened.ino || dev !== opened.dev || !opened.isFile()) throw absent()
      return await work(file)
    } finally {
      await file.close()
    }
  }
}

function offsetOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new ToolFailure('NOT_FOUND', 'Event not found')
  return Number(text)
}

async function textAt(file: FileHandle, offset: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, offset)
  return buffer.toString('utf8', 0, bytesRead)
}

/** The complete lines before `end`, oldest first. A line that starts before the read range is left out. */
async function linesBefore(file: FileHandle, end: number, most = readBytesMax): Promise<Line[]> {
  const start = Math.max(0, end - most)
  const buffer = Buffer.alloc(end - start)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
  const lines: Line[] = []
  let at = start === 0 ? 0 : buffer.indexOf(10) + 1
  while (at < bytesRead) {
    const next = buffer.indexOf(10, at)
    const stop = next < 0 || next >= bytesRead ? bytesRead : next
    lines.push({ offset: start + at, text: buffer.toString('utf8', at, Math.min(stop, at + lineCharsMax)) })
    at = stop + 1
  }
  return lines
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const iso = /^(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)\s+/
const classic = /^([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) /
const origin = /^(?:(\S+) )?([A-Za-z][\w./@-]{0,99})(?:\[(\d{1,10})\])?: (.*)$/
const words: readonly [RegExp, EventLevel][] = [
  [/\b(emerg|emergency|panic)\b/i, 'emergency'],
  [/\b(crit|critical|fatal)\b/i, 'critical'],
  [/\b(err|error|failed|failure)\b/i, 'error'],
  [/\b(warn|warning)\b/i, 'warning'],
  [/\bnotice\b/i, 'notice'],
  [/\binfo\b/i, 'info'],
  [/\bdebug\b/i, 'debug'],
]

/** Extracts time, source and level from a line. Times without a zone are local times of the machine. */
export function parseLine(text: string, newest: Date): Omit<Event, 'recordId'> {
  const withDate = iso.exec(text)
  const withMonth = withDate === null ? classic.exec(text) : null
  const rest = text.slice((withDate ?? withMonth)?.[0].length ?? 0)
  const from = withDate === null && withMonth === null ? null : origin.exec(rest)
  const at =
    withDate?.[1] === undefined ? classicTime(withMonth, newest) : new Date(withDate[1].replace(',', '.')).getTime()
  return {
    at: at === null || !Number.isFinite(at) ? null : new Date(at).toISOString(),
    level: words.find(([pattern]) => pattern.test(rest))?.[1] ?? null,
    source: from?.[2] ?? null,
    pid: from?.[3] === undefined ? null : Number(from[3]),
    message: from?.[4] ?? rest,
  }
}

/** The classic format has no year: the latest one that is not in the future is used. */
function classicTime(match: RegExpExecArray | null, newest: Date): number | null {
  const [, month = '', day = '', time = ''] = match ?? []
  if (!months.includes(month)) return null
  const year = newest.getFullYear()
  const at = new Date(`${month} ${day} ${year} ${time}`).getTime()
  return at > newest.getTime() + 86_400_000 ? new Date(`${month} ${day} ${year - 1} ${time}`).getTime() : at
}
