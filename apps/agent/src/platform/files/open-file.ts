import { constants, type FileHandle, lstat, open } from 'node:fs/promises'
import { failureOf, ToolFailure } from '../../tool-failure.ts'

/** Opens a regular file, never through a link, and never a file that blocks. */
export async function openFile(path: string, asked: string): Promise<FileHandle> {
  let file: FileHandle
  let linked: bigint
  try {
    linked = (await lstat(path, { bigint: true })).ino
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throw failureOf(error, asked)
  }
  const opened = await file.stat({ bigint: true })
  // A system without O_NOFOLLOW opened the target of a link: another file than the entry.
  if (opened.isFile() && opened.ino === linked) return file
  await file.close()
  throw new ToolFailure('DENIED', `${asked} is not a regular file`)
}
