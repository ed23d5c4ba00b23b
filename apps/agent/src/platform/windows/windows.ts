import { win32 } from 'node:path'
import type { Platform } from '../platform.ts'
import { identifyProcess } from './calls/processes.ts'
import { claim, closeFolder, controlAddress, ownControlAddress } from './data-folder.ts'
import { programData } from './environment.ts'
import { forgetInstalledKey } from './installed-key.ts'
import { removeOldAddons } from './native/addon.ts'
import { startScript } from './scripts.ts'
import { facts, machineSeed } from './system.ts'
import { createTools } from './tools/windows-tools.ts'
import { createVitals } from './vitals.ts'

export const windows: Platform = {
  defaultDataDirectory: () => win32.join(programData(), 'Muster', 'Agent'),
  closeFolder,
  machineSeed,
  facts,
  vitals: createVitals,
  collectInventory: async () => (await import('./inventory/collect.ts')).collectInventory(),
  tools: (secret) => createTools(secret),
  startScript,
  // A job ends with the agent that opened it, so that no process of a script is left.
  endLeftovers: async () => undefined,
  async claim(directory, part) {
    const release = await claim(directory, part)
    if (release !== undefined && part === 'agent') removeOldAddons()
    return release
  },
  forgetInstalledKey,
  identify: async (pid) => identifyProcess(pid),
  ownControlAddress,
  controlAddress,
  hasSignals: false,
  joinServiceManager: async () => (await import('./service-host.ts')).joinServiceManager(),
  continueAs: undefined,
}
