import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { FileEntry } from '@muster/wire/commands/files.ts'
import type { FileFact, FileValue } from '@muster/wire/facts/facts.ts'
import { isMissing } from '../../durable-file.ts'
import { failureOf, ToolFailure } from '../../tool-failure.ts'
import type { GuardedFolders, HeldFolder } from './guarded-folders.ts'
import { openFile } from './open-file.ts'
import { fileText, settingsIn } from './setting-lines.ts'

/** An entry of a folder, by its resolved path. */
export interface WatchedEntry {
  readonly folder: string
  readonly name: string
}

export interface FileSeen {
  readonly value: FileValue
  /** Whose changes can change the value: the entry, the links that lead to it, or the first folder that is missing. */
  readonly entries: readonly WatchedEntry[]
  /** Of the content that was read. Undefined for one so new that another change could leave it the same. */
  readonly version: string | undefined
}

export type ObserveFile = (fact: FileFact, before?: FileSeen) => Promise<FileSeen>

type Content = Pick<FileValue, 'contains' | 'settings' | 'sha256'>
interface Read {
  readonly content: Content
  readonly version: string | undefined
}
type Seen = Pick<FileSeen, 'value' | 'version'>
interface Step {
  readonly entry: WatchedEntry
  /** Where a link leads. */
  readonly next?: string
  readonly seen?: Seen
}

const linksMax = 8
const textBytesMax = 1024 * 1024
const hashedBytesMax = 64 * 1024 * 1024
const pieceBytes = 256 * 1024
/** File systems note the time of a change only this exactly, or worse. */
const settledMs = 2_000

/** Observes single files for facts. Only small regular files are read, and only when they changed. */
export function observeFiles(folders: GuardedFolders): ObserveFile {
  return async (fact, before) => {
    const entries: WatchedEntry[] = []
    let { path } = fact
    for (let links = 0; links <= linksMax; links++) {
      const step = await stepTo(folders, path, fact, before)
      if (step === undefined) entries.push(...(await nearestEntry(folders, dirname(path))))
      else entries.push(step.entry)
      if (step?.next === undefined)
        return { value: { type: 'file', kind: 'absent' }, version: undefined, ...step?.seen, entries }
      path = step.next
    }
    throw new ToolFailure('DENIED', `${fact.path} leads through more than ${linksMax} links`)
  }
}

/** Looks at an entry: neither link nor anything else where nothing is. @returns undefined when its folder is missing */
async function stepTo(
  folders: GuardedFolders,
  path: string,
  fact: FileFact,
  before: FileSeen | undefined,
): Promise<Step | undefined> {
  try {
    return await folders.withinParent(path, async (folder, name): Promise<Step> => {
      const entry = { folder: folder.path, name }
      const found = await folders.describe(folder, name).catch((error: unknown) => {
        if (isMissing(error)) return undefined
        throw failureOf(error, path)
      })
      if (found === undefined) return { entry }
      if (found.type === 'symlink' && found.target !== null) return { entry, next: resolve(folder.path, found.target) }
      return { entry, seen: await seenOf(folder, found, fact, before) }
    })
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/** The entry whose creation is the first step to a path that does not exist. */
async function nearestEntry(folders: GuardedFolders, path: string): Promise<WatchedEntry[]> {
  try {
    return [await folders.withinParent(path, async (folder, name) => ({ folder: folder.path, name }))]
  } catch (error) {
    const isAbove = error instanceof ToolFailure && error.code === 'NOT_FOUND' && dirname(path) !== path
    return isAbove ? nearestEntry(folders, dirname(path)) : []
  }
}

async function seenOf(
  folder: HeldFolder,
  { name, type, mode, owner, group, sizeBytes }: FileEntry,
  fact: FileFact,
  before: FileSeen | undefined,
): Promise<Seen> {
  const kind = type === 'file' ? 'file' : type === 'directory' ? 'folder' : 'other'
  // Names are missing where access lists decide.
  const access = owner === '' ? {} : { mode, owner: owner.slice(0, 255), group: group.slice(0, 255) }
  const value: FileValue = { type: 'file', kind, ...access, ...(kind === 'file' && { bytes: sizeBytes }) }
  const wantsContent = fact.contains !== undefined || fact.setting !== undefined || fact.sha256 === true
  if (kind !== 'file' || !wantsContent) return { value, version: undefined }
  const { content, version } = await readContent(folder.entry(name), fact, before)
  return { value: { ...value, ...content }, version }
}

async function readContent(path: string, fact: FileFact, before: FileSeen | undefined): Promise<Read> {
  // Programs replace files as a whole: the entry may be another one than a moment before.
  const file = await openFile(path, fact.path).catch(() => openFile(path, fact.path))
  try {
    const first = await versionOf(file)
    if (before?.version === first.version) {
      const { contains, settings, sha256 } = before.value
      return { content: { contains, settings, sha256 }, version: first.version }
    }
    const content = fact.sha256 === true ? { sha256: await hashOf(file, fact.path) } : await textFacts(file, fact)
    const { version, changedAtMs } = await versionOf(file)
    const isSettled = version === first.version && Date.now() - changedAtMs > settledMs
    return { content, version: isSettled ? version : undefined }
  } catch (error) {
    throw failureOf(error, fact.path)
  } finally {
    await file.close()
  }
}

async function versionOf(file: FileHandle): Promise<{ version: string; changedAtMs: number }> {
  const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await file.stat({ bigint: true })
  return { version: [dev, ino, size, mtimeNs, ctimeNs].join(' '), changedAtMs: Number(ctimeMs) }
}

async function textFacts(file: FileHandle, { path, contains, setting }: FileFact): Promise<Content> {
  const pieces: Buffer[] = []
  for await (const piece of piecesOf(file, textBytesMax, path)) pieces.push(Buffer.from(piece))
  const text = fileText(Buffer.concat(pieces))
  if (setting !== undefined) return { settings: settingsIn(text, setting) }
  return { contains: contains !== undefined && text.includes(contains.replaceAll('\r\n', '\n')) }
}

async function hashOf(file: FileHandle, path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of piecesOf(file, hashedBytesMax, path)) hash.update(piece)
  return hash.digest('hex')
}

/** The content in pieces that share one buffer. A file may grow while it is read. */
async function* piecesOf(file: FileHandle, bytesMax: number, path: string): AsyncGenerator<Buffer> {
  const tooLarge = () => new ToolFailure('TOO_LARGE', `${path} is longer than ${bytesMax / 1024 / 1024} MiB`)
  if ((await file.stat()).size > bytesMax) throw tooLarge()
  const buffer = Buffer.alloc(pieceBytes)
  for (let total = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, total)
    if (bytesRead === 0) return
    total += bytesRead
    if (total > bytesMax) throw tooLarge()
    yield buffer.subarray(0, bytesRead)
  }
}
