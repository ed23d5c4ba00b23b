import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { identify, type ProcessId, waitUntilGone } from './process-id.ts'

const Entry = z.object({ pid: z.number(), startedAt: z.string() })
const fileOf = (folder: string) => join(folder, 'processes.log')

// The time that a process may take to drain after it notices that its launcher ended.
const graceMs = 12_000

/** Records a child process on disk, in case this process is killed before it can stop the child. */
export function rememberProcess(folder: string, pid: number): void {
  appendFileSync(fileOf(folder), `${JSON.stringify(identify(pid))}\n`, { mode: 0o600 })
}

/** Waits for the processes of an earlier, killed launcher to end by themselves, and kills those that do not. */
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
      // The last line may be incomplete; its process was then barely started.
      const entry = Entry.safeParse(line.endsWith('}') ? JSON.parse(line) : undefined)
      return entry.success ? [entry.data] : []
    })
  } catch {
    return []
  }
}
