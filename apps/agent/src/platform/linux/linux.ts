import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Platform } from '../platform.ts'
import { createClaim } from '../posix/claim.ts'
import { closeFolder } from '../posix/closed-folder.ts'
import { ping } from '../posix/ping.ts'
import { controlAddress, ownControlAddress, socketPath } from './control-address.ts'
import { forgetInstalledKey } from './installed-key.ts'
import { createTools } from './linux-tools.ts'
import { obstaclesOn } from './obstacles.ts'
import { identify } from './process.ts'
import { endLeftovers, scriptSystem, startScript } from './scripts.ts'
import { facts, machineSeed } from './system.ts'
import { thisHost } from './systemd.ts'
import { createVitals } from './vitals.ts'

export const linux: Platform = {
  defaultDataDirectory: () =>
    userInfo().uid === 0 ? '/var/lib/muster-agent' : join(homedir(), '.local/share/muster-agent'),
  closeFolder,
  machineSeed,
  facts,
  vitals: createVitals,
  // Its modules are large and needed only in the collecting process.
  collectInventory: async () => (await import('./inventory/inventory.ts')).collectInventory(),
  tools: (secret) => createTools(secret),
  obstacles: () => obstaclesOn(thisHost, scriptSystem, process.getuid?.() === 0),
  ping: (address, count, waitSeconds) => ping('ping', ['-W', `${waitSeconds}`], address, count),
  startScript,
  endLeftovers,
  claim: createClaim(socketPath),
  forgetInstalledKey: () => forgetInstalledKey(),
  identify,
  ownControlAddress,
  controlAddress,
  hasSignals: true,
  joinServiceManager: undefined,
  setup: undefined,
  runUserScript: async () => (await import('../posix/user-script.ts')).runUserScript(),
  systemProxies: undefined,
  continueAs: (program, args) => process.execve?.(program, [program, ...args]),
}
