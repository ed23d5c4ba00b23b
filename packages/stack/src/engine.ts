import { spawn, spawnSync } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs'
import type { Account } from './account.ts'
import { identify, type ProcessId } from './process-id.ts'

const logBytesMax = 32 * 2 ** 20

export interface EngineOptions {
  readonly binary: string
  readonly args: readonly string[]
  readonly account: Account | undefined
  readonly logFile: string
  readonly cwd: string
  /** Sent by the kernel when this process is killed, where supported. */
  readonly stopSignal: 'SIGINT' | 'SIGTERM'
  readonly input?: string
  readonly env?: Record<string, string>
}

/** A database server as a child process. */
export interface Engine {
  readonly id: ProcessId
  /** Resolves with how it ended. */
  readonly exited: Promise<string>
  /** Its log since the start. */
  output(): string
  /** Asks it to stop, and kills it after a while. */
  stop(withinMs: number): Promise<void>
}

/** Starts a server in its own process group, so that Ctrl-C reaches it only through this process, in order. */
export function startEngine(options: EngineOptions): Engine {
  const log = openLog(options.logFile)
  const logFrom = statSync(options.logFile).size
  const { command, args, credentials } = commandOf(options)
  const child = spawn(command, args, {
    cwd: options.cwd,
    detached: true,
    stdio: ['pipe', log, log],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...options.env },
    ...credentials,
  })
  closeSync(log)
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(options.input ?? '')
  const exited = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('exit', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`))
  })
  return {
    id: identify(child.pid ?? -1),
    exited,
    output: () => readFileSync(options.logFile).subarray(logFrom).toString(),
    async stop(withinMs) {
      child.kill(options.stopSignal)
      const overdue = setTimeout(() => child.kill('SIGKILL'), withinMs)
      await exited
      clearTimeout(overdue)
    },
  }
}

/** Opens a log file for appending; a file above the size limit is moved aside first. */
export function openLog(path: string): number {
  const log = openSync(path, 'a', 0o600)
  if (statSync(path).size > logBytesMax) {
    copyFileSync(path, `${path}.1`)
    truncateSync(path)
  }
  return log
}

let diesWithParent: boolean | undefined

// setpriv makes the kernel signal the server when this process is killed. Without it, the next start stops the leftover server.
function commandOf({ binary, args, account, stopSignal }: EngineOptions) {
  diesWithParent ??= spawnSync('setpriv', ['--pdeathsig', 'INT', 'true'], { stdio: 'ignore' }).status === 0
  if (!diesWithParent) {
    return { command: binary, args, credentials: account ? { uid: account.uid, gid: account.gid } : {} }
  }
  const as = account ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'] : []
  return {
    command: 'setpriv',
    args: [...as, '--pdeathsig', stopSignal.replace('SIG', ''), '--', binary, ...args],
    credentials: {},
  }
}
