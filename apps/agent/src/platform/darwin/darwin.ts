import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Platform } from '../platform.ts'
import { createClaim } from '../posix/claim.ts'
import { closeFolder } from '../posix/closed-folder.ts'
import { type Mac, thisMac } from './mac.ts'
import { identify } from './process-table.ts'
import { scriptsOf } from './scripts.ts'
import { controlAddress, ownControlAddress, socketPath } from './socket-path.ts'
import { facts, machineSeed } from './system.ts'
import { createTools } from './tools/darwin-tools.ts'
import { vitalsOf } from './vitals.ts'

const dataFolder = 'Library/Application Support/Muster Agent'

/** The platform on a Mac whose programs are found in a given path. */
export const darwinOn = (mac: Mac): Platform => ({
  defaultDataDirectory: () => (userInfo().uid === 0 ? `/${dataFolder}` : join(homedir(), dataFolder)),
  closeFolder,
  machineSeed: () => machineSeed(mac),
  facts: () => facts(mac),
  vitals: () => vitalsOf(mac),
  // Its modules are needed only in the collecting process.
  collectInventory: async () => (await import('./inventory/inventory.ts')).collectInventory(mac),
  tools: (secret) => createTools(secret, mac),
  ...scriptsOf(mac),
  claim: createClaim(socketPath),
  // install.sh writes the key into the data folder, never into the settings of the daemon.
  forgetInstalledKey: async () => undefined,
  identify: (pid) => identify(mac, pid),
  ownControlAddress,
  controlAddress,
  hasSignals: true,
  joinServiceManager: undefined,
  continueAs: (program, args) => process.execve?.(program, [program, ...args]),
})

export const darwin = darwinOn(thisMac)
