import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import type { UpdateReason } from '@muster/wire/messages/update-status.ts'
import { updateReasons } from '@muster/wire/messages/update-status.ts'
import { ownProgram } from '../own-program.ts'
import { type FetchJob, FetchMessage } from './fetch-process.ts'
import { UpdateRefused } from './update-refused.ts'

export type Fetch = (
  job: FetchJob,
  enter: (state: 'downloading' | 'verifying') => void,
  signal: AbortSignal,
) => Promise<void>

/** Fetches and verifies a new executable in a separate process. @throws UpdateRefused */
export const fetchInProcess: Fetch = async (job, enter, signal) => {
  const { file, args } = ownProgram('fetch-update')
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], signal, killSignal: 'SIGKILL' })
  if (child.pid !== undefined) yieldTo(child.pid)
  let complaint = ''
  child.stderr.on('data', (piece: Buffer) => {
    complaint = (complaint + piece.toString()).slice(-500)
  })
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, killed) => resolve(`it ended with ${killed ?? code}`))
  })
  child.stdin.on('error', () => undefined)
  child.stdin.write(`${JSON.stringify(job)}\n`)
  let isReady = false
  for await (const line of createInterface({ input: child.stdout })) {
    const message = FetchMessage.parse(JSON.parse(line))
    if ('refused' in message) throw new UpdateRefused(reasonOf(message.refused.reason), message.refused.words)
    if (message.state === 'ready') isReady = true
    else enter(message.state)
  }
  const ending = await ended
  if (!isReady)
    throw new UpdateRefused('download_failed', `the fetching process ended early: ${complaint.trim() || ending}`)
}

function reasonOf(text: string): UpdateReason {
  return updateReasons.find((reason) => reason === text) ?? 'install_failed'
}

// Fetching runs at low priority.
function yieldTo(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The process has ended already, or the system does not allow it.
  }
}
