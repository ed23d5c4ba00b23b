import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Platform } from '../platform.ts'
import { createClaim } from '../posix/claim.ts'
import { closeFolder } from '../posix/closed-folder.ts'
import { controlAddress, ownControlAddress, socketPath } from './control-address.ts'
import { forgetInstalledKey } from './installed-key.ts'
import { createTools } from './linux-tools.ts'
import { identify } from './process.ts'
import { endLeftovers, startScript } from './scripts.ts'
import { facts, machineSeed } from './system.ts'
import { createVitals } from './vitals.ts'

export const linux: Platform = {
  defaultDataDirectory: () =>
    userInfo().uid === 0 ? '/var/lib/muster-agent' : join(homedir(), '.local/share/muster-agent'),
  closeFolder,
  machineSeed,
  facts,
  vitals: createVitals,
  // Its modules are large and needed only in the collecting process.
  collectInventory: async () => (await import('./inventory.ts')).collectInventory(),
  tools: (secret) => createTools(secret),
  startScript,
  endLeftovers,
  claim: createClaim(socketPath),
  forgetInstalledKey: () => forgetInstalledKey(),
  identify,
  ownControlAddress,
  controlAddress,
  hasSignals: true,
  joinServiceManager: undefined,
  continueAs: (program, args) => process.execve?.(program, [program, ...args]),
}
