import { readFileSync } from 'node:fs'
import { errorCode } from './failure.ts'

/** A process that may outlive the one that recorded it. The start time distinguishes it from a later one with the same PID. */
export interface ProcessId {
  readonly pid: number
  readonly startedAt: string
}

export function identify(pid: number): ProcessId {
  return { pid, startedAt: startTimeOf(pid) }
}

export function isRunning({ pid, startedAt }: ProcessId): boolean {
  return exists(pid) && startTimeOf(pid) === startedAt
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

// Field 22 of /proc/<pid>/stat, in clock ticks since boot; the name in field 2 may contain spaces. Empty without /proc.
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? 'zombie' : (fields[19] ?? '')
  } catch {
    return ''
  }
}

/** The command line of a running process, or an empty string. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Waits for processes that are not our children to end. @returns those still running after `withinMs` */
export async function waitUntilGone(processes: readonly ProcessId[], withinMs: number): Promise<ProcessId[]> {
  const until = Date.now() + withinMs
  for (;;) {
    const left = processes.filter(isRunning)
    if (left.length === 0 || Date.now() > until) return left
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
