import { lstat, readlink } from 'node:fs/promises'
import type { FileEntry } from '@muster/wire/commands/files.ts'
import type { HeldFolder } from './guarded-folders.ts'

/** Names of users and groups by their numbers. */
export interface Names {
  user(uid: number): string
  group(gid: number): string
}

/** An entry of a held folder, as `ls -l` shows it. */
export async function describeEntry(folder: HeldFolder, name: string, names: Names): Promise<FileEntry> {
  const stat = await lstat(folder.entry(name))
  const type = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? 'symlink' : 'other'
  return {
    name,
    type,
    sizeBytes: stat.size,
    modifiedAt: new Date(Math.max(0, stat.mtimeMs)).toISOString(),
    mode: (stat.mode & 0o7777).toString(8).padStart(4, '0'),
    owner: names.user(stat.uid),
    group: names.group(stat.gid),
    target: type === 'symlink' ? await readlink(folder.entry(name)) : null,
  }
}
