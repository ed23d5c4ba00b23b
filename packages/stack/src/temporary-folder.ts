import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { machineFolder } from './data-folder.ts'
import { isRunning } from './process-id.ts'

const prefix = 'muster-temporary-'
const abandonedMs = 60 * 60_000

/** Creates a folder for disposable data, and removes those of processes that were killed before they could clean up. */
export async function makeTemporaryFolder(): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    if (name.startsWith(prefix)) await removeAbandoned(join(tmpdir(), name)).catch(() => undefined)
  }
  return mkdtemp(join(tmpdir(), prefix))
}

/** Removes a data folder, and its databases if they are elsewhere. */
export async function removeDataFolder(path: string): Promise<void> {
  const Marker = z.object({ engines: z.string().startsWith(`${machineFolder}/`) })
  const marker = await readFile(join(path, 'muster.json'), 'utf8').catch(() => '{}')
  const elsewhere = Marker.safeParse(JSON.parse(marker))
  if (elsewhere.success) await rm(elsewhere.data.engines, { recursive: true, force: true })
  await rm(path, { recursive: true, force: true, maxRetries: 3 })
}

async function removeAbandoned(path: string): Promise<void> {
  const { mtimeMs } = await stat(path)
  if (isHeld(path) ?? Date.now() - mtimeMs < abandonedMs) return
  await removeDataFolder(path)
}

function isHeld(path: string): boolean | undefined {
  try {
    const Holder = z.object({ pid: z.number(), startedAt: z.string() })
    return isRunning(Holder.parse(JSON.parse(readFileSync(join(path, 'launcher.lock'), 'utf8'))))
  } catch {
    return undefined
  }
}
