import { spawn } from 'node:child_process'
import { linkRetryMs } from '../limits.ts'
import { pause } from '../pause.ts'
import type { Platform } from '../platform/platform.ts'

/** A running agent, started by this watchdog or by an earlier one. */
export interface AgentProcess {
  readonly pid: number | undefined
  /** How it ended: an exit code, the name of a signal, or why it did not start. Undefined when another process started it. */
  readonly ended: Promise<number | string | undefined>
  kill(signal: NodeJS.Signals): void
}

/** @param output where its log goes, if not to that of this process */
export function startAgent(program: { file: string; args: string[] }, output: number | undefined): AgentProcess {
  const log = output ?? 'inherit'
  const child = spawn(program.file, program.args, { stdio: ['ignore', log, log], windowsHide: true })
  const ended = new Promise<number | string>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  return { pid: child.pid, ended, kill: (signal) => void child.kill(signal) }
}

/** Attaches to an agent that is already running. */
export async function adoptAgent(pid: number, platform: Platform): Promise<AgentProcess> {
  const identity = await platform.identify(pid)
  const isThere = async () => identity !== undefined && (await platform.identify(pid)) === identity
  const gone = async () => {
    const never = new AbortController().signal
    while (await isThere()) await pause(linkRetryMs, never)
    return undefined
  }
  const kill = async (signal: NodeJS.Signals) => {
    if (await isThere()) process.kill(pid, signal)
  }
  return { pid, ended: gone(), kill: (signal) => void kill(signal).catch(() => undefined) }
}
