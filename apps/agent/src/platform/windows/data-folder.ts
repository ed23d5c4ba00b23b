import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { win32 } from 'node:path'
import { controlFile } from '../../control.ts'
import { readIfPresent, writeDurably } from '../../durable-file.ts'
import type { ControlAddress } from '../platform.ts'
import { ownSid, u32Buffer } from './native/accounts.ts'
import { winErrors } from './native/error-codes.ts'
import { lastCode, must, Win32Error } from './native/errors.ts'
import { administrators, closed, setAccess, system } from './native/folder-access.ts'
import { closeHandle, createFile, invalidHandle } from './native/kernel32.ts'
import { wideTextAt } from './native/koffi.ts'
import { wide } from './native/layout.ts'
import { descriptorToText, getFileSecurity, informationOf, localFree } from './native/security-api.ts'

const write = 0x4000_0000
const openAlways = 4
const deleteOnClose = 0x0400_0000

/** Restricts a folder to SYSTEM, administrators and this user, with everything in it. */
export async function closeFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  const own = ownSid()
  const owner = ownerOf(directory)
  if (![own, system, administrators].includes(owner))
    throw new Error(`it belongs to ${owner}, but the agent runs as ${own}`)
  setAccess(directory, closed())
}

/** The SID of the owner of a file or folder. */
function ownerOf(path: string): string {
  const needed = u32Buffer()
  getFileSecurity(wide(path), informationOf.owner, null, 0, needed)
  const descriptor = Buffer.alloc(Math.max(needed.readUInt32LE(), 64))
  must('GetFileSecurityW', getFileSecurity(wide(path), informationOf.owner, descriptor, descriptor.length, needed))
  const place = Buffer.alloc(8)
  must('ConvertSecurityDescriptor', descriptorToText(descriptor, 1, informationOf.owner, place, u32Buffer()))
  const address = place.readBigUInt64LE()
  try {
    const text = wideTextAt(address).replace(/^O:/, '')
    return wellKnown[text] ?? text
  } finally {
    localFree(address)
  }
}

// Short forms of the security descriptor language.
const wellKnown: Readonly<Record<string, string>> = { SY: system, BA: administrators }

/** A file that only one process can have open; the system removes it when that process ends, however it ends. */
export async function claim(directory: string, part: 'agent' | 'watchdog'): Promise<(() => void) | undefined> {
  const path = win32.join(directory, `${part}.claim`)
  const handle = createFile(wide(path), write, 0, null, openAlways, deleteOnClose, 0)
  if (Number(handle) !== invalidHandle) return () => void closeHandle(handle)
  const code = lastCode()
  // Also while the file of a process that just ended is being removed.
  if (code === winErrors.sharingViolation || code === winErrors.accessDenied) return undefined
  throw new Win32Error(`CreateFileW ${path}`, code)
}

/**
 * A pipe with a name that no other process can know before it exists, so that none can take it first. The name is in a file
 * of the data folder.
 */
export async function ownControlAddress(directory: string): Promise<ControlAddress> {
  const path = `\\\\.\\pipe\\muster-agent-${randomBytes(16).toString('hex')}`
  await writeDurably(win32.join(directory, controlFile), path)
  return { path, close: async () => undefined }
}

export async function controlAddress(directory: string): Promise<ControlAddress | undefined> {
  const path = await readIfPresent(win32.join(directory, controlFile))
  return path === undefined ? undefined : { path, close: async () => undefined }
}
