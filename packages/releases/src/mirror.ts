// Mirrors metadata of another publisher in our own store: agents fetch it here, after it was verified.
import { type ObjectStore, readSmall, replaceWith } from '@muster/files/object-store.ts'
import { Metadata, MetadataKind, type Root } from '@tufjs/models'
import { Repository } from './repository.ts'

/** The file names of metadata. */
export const metadataName = /^(timestamp|\d{1,9}\.(root|snapshot|targets))\.json$/

type Json = Parameters<typeof Root.fromJSON>[0]

/** The metadata must not be stored: its signatures are invalid, it is older than the stored one, or it has expired. */
export class NotTrusted extends Error {
  override readonly name = 'NotTrusted'
}

function parsed(files: ReadonlyMap<string, Buffer>, name: string): Json {
  const bytes = files.get(name)
  if (bytes === undefined) throw new NotTrusted(`${name} is missing`)
  return JSON.parse(bytes.toString('utf8'))
}

const newerThan = (name: string, before: number | undefined, version: number) => {
  if (before !== undefined && version < before) throw new NotTrusted(`${name} is older than the stored version`)
}

/**
 * Mirrors metadata: completely, and only when it follows from the root in the store. The first root is trusted, as that of
 * an installation must be; agents verify with their own root in any case.
 * @throws NotTrusted with the reason; nothing is changed then
 */
export async function mirrorMetadata(
  store: ObjectStore,
  files: ReadonlyMap<string, Buffer>,
  nowMs = Date.now(),
): Promise<void> {
  try {
    await write(store, files, await checked(store, files, nowMs))
  } catch (error) {
    if (error instanceof NotTrusted) throw error
    throw new NotTrusted(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** @returns the file names in the order in which they may be written */
async function checked(store: ObjectStore, files: ReadonlyMap<string, Buffer>, nowMs: number): Promise<string[]> {
  const { root, names } = await followRoots(store, files)
  const timestamp = Metadata.fromJSON(MetadataKind.Timestamp, parsed(files, 'timestamp.json'))
  root.verifyDelegate(MetadataKind.Timestamp, timestamp)
  const held = await readSmall(store, 'metadata/timestamp.json')
  const before =
    held === null ? undefined : Metadata.fromJSON(MetadataKind.Timestamp, JSON.parse(held.toString('utf8')))
  newerThan('timestamp.json', before?.signed.version, timestamp.signed.version)
  const snapshotName = `${timestamp.signed.snapshotMeta.version}.snapshot.json`
  const snapshot = Metadata.fromJSON(MetadataKind.Snapshot, parsed(files, snapshotName))
  root.verifyDelegate(MetadataKind.Snapshot, snapshot)
  newerThan(snapshotName, before?.signed.snapshotMeta.version, snapshot.signed.version)
  const targetsName = `${snapshot.signed.meta['targets.json']?.version}.targets.json`
  const targets = Metadata.fromJSON(MetadataKind.Targets, parsed(files, targetsName))
  root.verifyDelegate(MetadataKind.Targets, targets)
  for (const { signed } of [root, timestamp, snapshot, targets])
    if (Date.parse(signed.expires) <= nowMs) throw new NotTrusted(`its ${signed.type} has expired`)
  // Files that refer to others are written after them, so that agents always see consistent metadata.
  return [...names, targetsName, snapshotName, 'timestamp.json']
}

/** The newest root that follows from the one in the store, each signed by the one before it. */
async function followRoots(store: ObjectStore, files: ReadonlyMap<string, Buffer>) {
  const names: string[] = []
  let root = await new Repository(store).root()
  for (let version = (root?.signed.version ?? 0) + 1; files.has(`${version}.root.json`); version++) {
    const name = `${version}.root.json`
    const next: Metadata<Root> = Metadata.fromJSON(MetadataKind.Root, parsed(files, name))
    root?.verifyDelegate(MetadataKind.Root, next)
    next.verifyDelegate(MetadataKind.Root, next)
    if (next.signed.version !== version) throw new NotTrusted(`${name} has another version`)
    names.push(name)
    root = next
  }
  if (root === null) throw new NotTrusted('1.root.json is missing')
  return { root, names }
}

async function write(store: ObjectStore, files: ReadonlyMap<string, Buffer>, names: readonly string[]): Promise<void> {
  const newestRoot = names.filter((name) => name.endsWith('.root.json')).at(-1)
  for (const name of names) {
    const bytes = files.get(name)
    if (bytes === undefined) throw new NotTrusted(`${name} is missing`)
    await replaceWith(store, `metadata/${name}`, bytes)
    if (name === newestRoot) await replaceWith(store, 'metadata/root.json', bytes)
  }
}
