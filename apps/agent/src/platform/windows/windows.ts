import { win32 } from 'node:path'
import { isExecutable } from '../../own-program.ts'
import { missingLanguages } from '../missing-languages.ts'
import { withoutAdministrator } from '../obstacles.ts'
import type { Platform } from '../platform.ts'
import { folderOf } from './calls/folders.ts'
import { identifyProcess } from './calls/processes.ts'
import { claim, closeFolder, controlAddress, ownControlAddress } from './data-folder.ts'
import { programData } from './environment.ts'
import { forgetInstalledKey } from './installed-key.ts'
import { isMember, ownSid } from './native/accounts.ts'
import { removeOldAddons } from './native/addon.ts'
import { administrators, system } from './native/folder-access.ts'
import { ping } from './ping.ts'
import { findInterpreter, startScript } from './scripts/scripts.ts'
import { serviceSetup } from './setup/service-setup.ts'
import { facts, machineSeed } from './system.ts'
import { native } from './thread/native-thread.ts'
import { createTools } from './tools/windows-tools.ts'
import { createVitals } from './vitals.ts'

/** Finding a proxy may ask DHCP, DNS and a web server. */
const proxiesTimeoutMs = 20_000

export const windows: Platform = {
  defaultDataDirectory: () => win32.join(programData(), 'Muster', 'Agent'),
  closeFolder,
  machineSeed,
  facts,
  vitals: createVitals,
  collectInventory: async () => (await import('./inventory/collect.ts')).collectInventory(),
  tools: (secret) => createTools([...secret, ...programFolders()]),
  obstacles: async () => ({
    ...(await missingLanguages(findInterpreter)),
    ...(isMember(administrators) ? {} : withoutAdministrator),
    // Only SYSTEM may act for other users.
    ...(ownSid() === system ? {} : { run_as_user: 'NOT_PERMITTED', run_as_named_user: 'NOT_PERMITTED' }),
  }),
  ping,
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
  setup: serviceSetup,
  continueAs: undefined,
  runUserScript: async (script) => (await import('./scripts/user-script.ts')).runUserScript(script),
  systemProxies: async ({ protocol, host }) => {
    const scheme = protocol === 'wss:' ? 'https:' : protocol === 'ws:' ? 'http:' : protocol
    return native('systemProxies', [`${scheme}//${host}/`], proxiesTimeoutMs)
  },
}

/** The folder of the executable, which only its installers and updates change. One in the root of a drive has no folder of its own. */
function programFolders(): string[] {
  if (!isExecutable) return []
  const folder = folderOf(win32.dirname(process.execPath))
  return win32.parse(folder).root === folder ? [] : [folder]
}
