import type { InstalledSoftware } from '@muster/wire/messages/inventory.ts'
import type { KeyPlace } from '../calls/registry.ts'
import { appOf } from './app-package.ts'
import { keyBelow, keyNames, keyValues, machineKey } from './registry-reading.ts'
import { softwareOf } from './uninstall-entry.ts'

const uninstall = 'Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall'
const userPackages = 'Local Settings\\Software\\Microsoft\\Windows\\CurrentVersion\\AppModel\\Repository\\Packages'
/** Packages of the machine: for all users, and those that belong to Windows. */
const machinePackages = ['Applications', 'InboxApplications'].map(
  (part) => `SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Appx\\AppxAllUserStore\\${part}`,
)
/** Accounts of services have no software of their own. */
const personSid = /^S-1-(5-21|12-1)-[\d-]+$/

/** Programs of the three Uninstall keys: 64-bit, 32-bit, and of each user who is signed in. Then the apps of the store. */
export async function collectSoftware(): Promise<InstalledSoftware[]> {
  const sids = keyNames({ hive: 'HKEY_USERS', path: '', view: '64' }).filter((name) => personSid.test(name))
  const ofUser = (path: string): KeyPlace => ({ hive: 'HKEY_USERS', path, view: '64' })
  return unique([
    ...programsIn(machineKey(uninstall), 'x64'),
    ...programsIn({ ...machineKey(uninstall), view: '32' }, 'x86'),
    ...sids.flatMap((sid) => programsIn(ofUser(`${sid}\\${uninstall}`), 'user')),
    // Those of users first: only they have titles.
    ...sids.flatMap((sid) => appsIn(ofUser(`${sid}_Classes\\${userPackages}`))),
    ...machinePackages.flatMap((path) => appsIn(machineKey(path))),
  ])
}

const programsIn = (place: KeyPlace, source: string): InstalledSoftware[] =>
  keyNames(place).flatMap((name) => softwareOf(keyValues(keyBelow(place, name)), source) ?? [])

/** The apps of the packages below a key; one package may be there for the machine and for each user. */
function appsIn(place: KeyPlace): InstalledSoftware[] {
  return keyNames(place).flatMap((name) => appOf(name, keyValues(keyBelow(place, name))) ?? [])
}

function unique(found: readonly InstalledSoftware[]): InstalledSoftware[] {
  const seen = new Set<string>()
  return found.filter(({ name, version }) => {
    const key = `${name}\n${version}`
    return !seen.has(key) && seen.add(key)
  })
}
