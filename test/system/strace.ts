// Disk faults injected at the system call: strace makes calls of a running process fail.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether strace is available. */
export const canInject = spawnSync('strace', ['-V']).status === 0

/** Failing system calls of a process, until it ends or `stop` is called. */
export interface Injection {
  stop(): Promise<void>
}

/**
 * Makes each of these calls fail.
 * @param fault such as `fdatasync:error=EIO`
 * @param path only calls on this file
 */
export async function inject(pids: readonly number[], fault: string, path?: string): Promise<Injection> {
  const [call = ''] = fault.split(':')
  const target = pids.flatMap((pid) => ['-p', String(pid)])
  const only = path === undefined ? [] : ['-P', path]
  const child = spawn('strace', [
    '-f',
    '-q',
    '-o',
    '/dev/null',
    ...only,
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${fault}`,
    ...target,
  ])
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await attached(pids, child, ended)
  return {
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

// The kernel shows which process traces another.
async function attached(pids: readonly number[], child: ChildProcess, ended: Promise<void>): Promise<void> {
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  const isTraced = (pid: number) => {
    try {
      return /^TracerPid:\s+[1-9]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    } catch {
      return true
    }
  }
  while (!pids.every(isTraced)) {
    if (hasEnded) throw new Error(`strace does not attach (exit code ${child.exitCode})`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
