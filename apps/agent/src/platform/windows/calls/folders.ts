import { failureOfCall, lastError } from '../native/errors.ts'
import { closeHandle, createFile, getFinalPathName, invalidHandle } from '../native/kernel32.ts'
import type { Handle } from '../native/koffi.ts'
import { textAt, wide } from '../native/layout.ts'
import { extended, plain } from '../paths.ts'

const listFolder = 0x1
const shareReadWrite = 0x3
const openExisting = 3
const backupSemantics = 0x0200_0000
const pathChars = 32_768

/** A folder that is held open, and its resolved path. */
export interface OpenFolder {
  handle: Handle
  path: string
}

/**
 * Opens a folder without sharing its removal: while it is open, neither it nor a folder above it can be renamed or replaced.
 * @throws ToolFailure when it does not exist, or is closed to the agent
 */
export function openFolder(path: string): OpenFolder {
  const flags = backupSemantics
  const handle = createFile(wide(extended(path)), listFolder, shareReadWrite, null, openExisting, flags, 0)
  if (Number(handle) === invalidHandle) throw failureOfCall(lastError('CreateFileW'), path)
  const buffer = Buffer.alloc(pathChars * 2)
  if (getFinalPathName(handle, buffer, pathChars, 0) === 0) {
    const failure = failureOfCall(lastError('GetFinalPathNameByHandleW'), path)
    closeHandle(handle)
    throw failure
  }
  return { handle, path: plain(textAt(buffer, 0)) }
}

/** The resolved path of a folder. */
export function folderOf(path: string): string {
  const folder = openFolder(path)
  closeHandle(folder.handle)
  return folder.path
}
