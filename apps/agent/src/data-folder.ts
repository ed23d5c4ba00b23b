import { access, chmod, constants, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
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
  await close(directory)
  for (let delayMs = claimRetryFirstMs; ; delayMs = Math.min(2 * delayMs, claimRetryMaxMs)) {
    const release = await platform.claim(directory, part)
    if (release !== undefined) return release
    const holder = part === 'agent' ? 'another agent uses' : 'another watchdog watches the agent of'
    log.warn(`${holder} the data folder ${directory}; tries again in ${delayMs / 1000} s`)
    await pause(delayMs, signal ?? new AbortController().signal)
  }
}

/** Restricts the folder to its owner, which must be this user: content from another user would run with our rights. */
async function close(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    const { uid, mode } = await stat(directory)
    const own = process.getuid?.() ?? uid
    if (uid !== own) throw new Error(`it belongs to user ${uid}, but the agent runs as user ${own}`)
    if ((mode & 0o077) === 0) return
    await chmod(directory, 0o700)
    const files = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isFile())
    await Promise.all(files.map(({ name }) => chmod(join(directory, name), 0o600)))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AgentStopped(`cannot use the data folder ${directory}: ${why}; give another one with --data-dir`)
  }
}
