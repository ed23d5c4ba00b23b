import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { identify, type ProcessId, waitUntilGone } from './process-id.ts'

const Entry = z.object({ pid: z.number(), startedAt: z.string() })
const fileOf = (folder: string) => join(folder, 'processes.log')

// As long as a process may take to drain when it notices that its launcher is gone.
const graceMs = 12_000

/** Remembers a child on the disk, for the case that we are killed before we can stop it. */
export function rememberProcess(folder: string, pid: number): void {
  appendFileSync(fileOf(folder), `${JSON.stringify(identify(pid))}\n`, { mode: 0o600 })
}

/** Sees the processes of an earlier, killed launcher off: they leave by themselves, those that cannot are ended. */
export async function endLeftovers(folder: string): Promise<void> {
  const left = await waitUntilGone(remembered(folder), graceMs)
  for (const { pid } of left) process.kill(pid, 'SIGKILL')
  await waitUntilGone(left, graceMs)
  rmSync(fileOf(folder), { force: true })
}

function remembered(folder: string): ProcessId[] {
  try {
    const lines = readFileSync(fileOf(folder), 'utf8').split('\n')
    return lines.flatMap((line) => {
      // The last line may be cut off; then its process was hardly started.
      const entry = Entry.safeParse(line.endsWith('}') ? JSON.parse(line) : undefined)
      return entry.success ? [entry.data] : []
    })
  } catch {
    return []
  }
}
