import { lstat, readlink } from 'node:fs/promises'
import { basename, dirname, normalize } from 'node:path'
import type { FileEntry } from '@muster/wire/commands/files.ts'
import { ToolFailure } from '../../tool-failure.ts'
import type { HeldFolder } from '../files/guarded-folders.ts'

/** Names of users and groups by their numbers. */
export interface Names {
  user(uid: number): string
  group(gid: number): string
}

/** @throws ToolFailure */
export function requireAbsolute(path: string): void {
  if (!path.startsWith('/')) throw new ToolFailure('INVALID_PAYLOAD', `path ${path} must start with / on this system`)
}

/** The parent and the name of a path. @throws ToolFailure when it can only be a folder */
export function split(path: string): { parent: string; name: string } {
  requireAbsolute(path)
  const whole = normalize(path).replace(/(.)\/+$/, '$1')
  const name = basename(whole)
  if (name === '' || name === '.' || name === '..') throw new ToolFailure('DENIED', `${path} is a folder`)
  return { parent: dirname(whole), name }
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
