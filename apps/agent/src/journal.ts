import { closeSync, openSync, readSync } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Result } from '@muster/wire/messages/result.ts'
import { isMissing, syncDirectory } from './durable-file.ts'
import { formatLine, type JournalLine, type ParsedLine, readLines } from './journal-line.ts'
import { journalBytesMax, journalEntriesMax, journalKeptResultBytesMax, journalMemoryMs } from './limits.ts'

/*
 * The commands that began, ended and were acknowledged, so that no command takes effect twice. Append-only; `begin` and
 * `finish` are on disk before they return. A command that began but did not finish when the file is opened was
 * interrupted together with its process.
 */

interface Position {
  offset: number
  length: number
}

interface Entry {
  state: 'begun' | 'finished' | 'acknowledged'
  expiresAt: number
  result: Position | undefined
}

export class Journal {
  readonly #path: string
  readonly #entries: Map<string, Entry>
  #file: FileHandle
  #size: number
  /** Size after the last compaction: below twice that, another one would gain little. */
  #compactedSize: number
  #torn = false
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(path: string, file: FileHandle, compacted: Compacted) {
    this.#path = path
    this.#file = file
    this.#entries = compacted.entries
    this.#size = compacted.content.length
    this.#compactedSize = this.#size
  }

  /** Opens the journal and drops damaged and expired entries. */
  static async open(path: string, nowMs: number = Date.now()): Promise<Journal> {
    const compacted = compact(await readContent(path), nowMs)
    return new Journal(path, await replace(path, compacted.content), compacted)
  }

  stateOf(id: string): Entry['state'] | undefined {
    return this.#entries.get(id)?.state
  }

  expiryOf(id: string): number {
    return this.#entries.get(id)?.expiresAt ?? 0
  }

  /** Commands in a state, oldest first. */
  idsIn(state: Entry['state']): string[] {
    return [...this.#entries].filter(([, entry]) => entry.state === state).map(([id]) => id)
  }

  /** Call and await before the first effect of a command. */
  async begin(id: string, expiresAt: number): Promise<void> {
    await this.#append({ kind: 'begin', id, expiresAt, content: '' }, true)
    this.#entries.set(id, { state: 'begun', expiresAt, result: undefined })
  }

  /** Call and await before a result is sent for the first time. */
  async finish(id: string, expiresAt: number, result: Result): Promise<void> {
    const place = await this.#append({ kind: 'finish', id, expiresAt, content: JSON.stringify(result) }, true)
    this.#entries.set(id, { state: 'finished', expiresAt, result: place })
  }

  /** The server has the result. Losing this entry only means sending the result once more. */
  async acknowledge(id: string): Promise<void> {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.state === 'acknowledged') return
    entry.state = 'acknowledged'
    await this.#append({ kind: 'acknowledge', id, expiresAt: entry.expiresAt, content: '' }, false)
  }

  /** The stored result; undefined when it is not stored (any more). */
  result(id: string): Result | undefined {
    const place = this.#entries.get(id)?.result
    if (place === undefined) return undefined
    const bytes = Buffer.allocUnsafe(place.length)
    const file = openSync(this.#path, 'r')
    try {
      readSync(file, bytes, 0, place.length, place.offset)
    } finally {
      closeSync(file)
    }
    return Result.parse(JSON.parse(bytes.toString()))
  }

  async close(): Promise<void> {
    await this.#turn.catch(() => undefined)
    await this.#file.close()
  }

  /** Appends one line and returns the position of its content. */
  async #append(line: JournalLine, durable: boolean): Promise<Position> {
    const { bytes, contentStart } = formatLine(line)
    const turn = this.#turn.catch(() => undefined).then(() => this.#write(bytes, durable))
    this.#turn = turn
    const start = await turn
    return { offset: start + contentStart, length: bytes.length - contentStart - 1 }
  }

  async #write(bytes: Buffer, durable: boolean): Promise<number> {
    if (this.#size + bytes.length > Math.max(journalBytesMax, 2 * this.#compactedSize)) await this.#compact()
    // A partial line from a failed write must not merge with the next line.
    if (this.#torn) await this.#file.truncate(this.#size)
    this.#torn = true
    const start = this.#size
    await writeAll(this.#file, bytes, start)
    if (durable) await this.#file.datasync()
    this.#torn = false
    this.#size = start + bytes.length
    return start
  }

  async #compact(): Promise<void> {
    const compacted = compact(await readContent(this.#path), Date.now())
    const file = await replace(this.#path, compacted.content)
    await this.#file.close()
    this.#file = file
    this.#size = compacted.content.length
    this.#compactedSize = this.#size
    for (const [id, entry] of this.#entries) {
      const kept = compacted.entries.get(id)
      if (kept === undefined) this.#entries.delete(id)
      else entry.result = kept.result
    }
  }
}

async function readContent(path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r')
    try {
      return await file.readFile()
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0)
    throw error
  }
}

/** Replaces the file atomically: its name refers to the old or the complete new content. */
async function replace(path: string, content: Buffer): Promise<FileHandle> {
  const file = await open(`${path}.new`, 'w+', 0o600)
  try {
    await writeAll(file, content, 0)
    await file.sync()
    await rename(`${path}.new`, path)
    await syncDirectory(dirname(path))
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

interface Compacted {
  content: Buffer
  entries: Map<string, Entry>
}

interface Known {
  last: ParsedLine
  finish: ParsedLine | undefined
}

/** The shortest equivalent journal: without commands that expired long ago and old results of acknowledged ones. */
function compact(content: Buffer, nowMs: number): Compacted {
  const commands = new Map<string, Known>()
  for (const last of readLines(content)) {
    const finish = last.kind === 'finish' ? last : commands.get(last.id)?.finish
    commands.delete(last.id)
    commands.set(last.id, { last, finish })
  }
  const kept = withoutForgotten([...commands.values()], nowMs)
  const entries = new Map<string, Entry>()
  const pieces: Buffer[] = []
  let offset = 0
  const keep = (line: ParsedLine): Position => {
    const place = { offset: offset + line.contentStart, length: line.bytes.length - line.contentStart - 1 }
    pieces.push(line.bytes)
    offset += line.bytes.length
    return place
  }
  for (const { last, finish } of kept) {
    const result = finish === undefined ? undefined : keep(finish)
    if (last !== finish) keep(last)
    entries.set(last.id, { state: stateAfter[last.kind], expiresAt: last.expiresAt, result })
  }
  return { content: Buffer.concat(pieces), entries }
}

const stateAfter = { begin: 'begun', finish: 'finished', acknowledge: 'acknowledged' } as const

function withoutForgotten(commands: readonly Known[], nowMs: number): Known[] {
  let room = journalKeptResultBytesMax
  let settled = 0
  // Newest first, because those are kept when space is limited.
  return commands
    .toReversed()
    .flatMap(({ last, finish }) => {
      if (last.kind !== 'acknowledge') return [{ last, finish }]
      if (last.expiresAt + journalMemoryMs < nowMs || ++settled > journalEntriesMax) return []
      room -= finish?.bytes.length ?? 0
      return [{ last, finish: room >= 0 ? finish : undefined }]
    })
    .reverse()
}
