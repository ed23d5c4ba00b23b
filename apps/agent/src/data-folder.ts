import { AgentStopped } from './agent-stopped.ts'
import { claimRetryFirstMs, claimRetryMaxMs } from './limits.ts'
import type { Log } from './log.ts'
import { pause } from './pause.ts'
import type { Platform } from './platform/platform.ts'

/**
 * Closes the data folder to other users and claims it for a part of the agent. While another process holds it, this waits:
 * giving up would let that process keep the agent from running even after it ended.
 */
export async function takeDataFolder(
  directory: string,
  part: 'agent' | 'watchdog',
  { platform, log, signal }: { platform: Platform; log: Log; signal?: AbortSignal },
): Promise<() => void> {
  await close(directory, platform)
  for (let delayMs = claimRetryFirstMs; ; delayMs = Math.min(2 * delayMs, claimRetryMaxMs)) {
    const release = await platform.claim(directory, part)
    if (release !== undefined) return release
    const holder = part === 'agent' ? 'another agent uses' : 'another watchdog watches the agent of'
    log.warn(`${holder} the data folder ${directory}; tries again in ${delayMs / 1000} s`)
    await pause(delayMs, signal ?? new AbortController().signal)
  }
}

async function close(directory: string, platform: Platform): Promise<void> {
  try {
    await platform.closeFolder(directory)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AgentStopped(`cannot use the data folder ${directory}: ${why}; give another one with --data-dir`)
  }
}
