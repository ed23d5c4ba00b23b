import { randomBytes } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { win32 } from 'node:path'
import type { Installation } from '../../../update/installation.ts'
import { wide } from '../native/layout.ts'
import { atNextStart, moveFile } from '../native/service-setup-api.ts'

/** The names that the agent gives to files and folders beside its executable. */
const own = /^(muster-agent\..+|\.muster-replaced-.*|native-[0-9a-f]+)$/i
/** A process that just ended may hold its file for a moment. */
const patient = { recursive: true, force: true, maxRetries: 3, retryDelay: 100 } as const

/** Removes what the agent has put beside its executable; the installer removes the executable. */
export async function removeLeftovers({ current }: Installation): Promise<void> {
  const folder = win32.dirname(current)
  const executable = win32.basename(current).toLowerCase()
  for (const name of await readdir(folder))
    if (own.test(name) && name.toLowerCase() !== executable) await removeOrMove(win32.join(folder, name))
}

/** What this process itself uses can be moved, and goes with the next start of the system. */
async function removeOrMove(path: string): Promise<void> {
  try {
    await rm(path, patient)
  } catch {
    // A folder cannot be moved while a file in it is in use.
    const inside = await readdir(path).catch(() => undefined)
    for (const file of inside ?? [path]) await moveAway(inside === undefined ? file : win32.join(path, file))
    await rm(path, patient).catch(() => undefined)
  }
}

async function moveAway(path: string): Promise<void> {
  const aside = win32.join(tmpdir(), `muster-${randomBytes(6).toString('hex')}.old`)
  try {
    await rename(path, aside)
    moveFile(wide(aside), null, atNextStart)
  } catch {
    // The temporary folder is on another drive: the file stays where it is.
  }
}
