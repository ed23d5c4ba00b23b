import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Platform } from '../platform.ts'
import { createClaim } from '../posix/claim.ts'
import { closeFolder } from '../posix/closed-folder.ts'
import { ping } from '../posix/ping.ts'
import { startInGroup } from '../posix/script-group.ts'
import { type Mac, thisMac } from './mac.ts'
import { obstaclesOn } from './obstacles.ts'
import { identify } from './process-table.ts'
import { scriptSystemOf } from './scripts.ts'
import { controlAddress, ownControlAddress, socketPath } from './socket-path.ts'
import { facts, machineSeed } from './system.ts'
import { createTools } from './tools/darwin-tools.ts'
import { vitalsOf } from './vitals.ts'

const dataFolder = 'Library/Application Support/Muster Agent'

/** The platform on a Mac whose programs are found in a given path. */
export function darwinOn(mac: Mac): Platform {
  const scripts = scriptSystemOf(mac)
  return {
    defaultDataDirectory: () => (userInfo().uid === 0 ? `/${dataFolder}` : join(homedir(), dataFolder)),
    closeFolder,
    machineSeed: () => machineSeed(mac),
    facts: () => facts(mac),
    vitals: () => vitalsOf(mac),
    // Its modules are needed only in the collecting process.
    collectInventory: async () => (await import('./inventory/inventory.ts')).collectInventory(mac),
    tools: (secret) => createTools(secret, mac),
    obstacles: () => obstaclesOn(mac, scripts, process.getuid?.() === 0),
    // Its -W counts milliseconds.
    ping: (address, count, waitSeconds) =>
      ping(
        address.includes(':') ? 'ping6' : 'ping',
        address.includes(':') ? [] : ['-W', `${waitSeconds * 1_000}`],
        address,
        count,
      ),
    startScript: (start) => startInGroup(start, scripts),
    endLeftovers: scripts.endLeftovers,
    claim: createClaim(socketPath),
    // install.sh writes the key into the data folder, never into the settings of the daemon.
    forgetInstalledKey: async () => undefined,
    identify: (pid) => identify(mac, pid),
    ownControlAddress,
    controlAddress,
    hasSignals: true,
    joinServiceManager: undefined,
    setup: undefined,
    runUserScript: async () => (await import('../posix/user-script.ts')).runUserScript(),
    systemProxies: undefined,
    continueAs: (program, args) => process.execve?.(program, [program, ...args]),
  }
}

export const darwin = darwinOn(thisMac)
