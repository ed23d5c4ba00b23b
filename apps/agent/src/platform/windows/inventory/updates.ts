import type { InstalledUpdate } from '@muster/wire/messages/inventory.ts'
import { keyBelow, keyNames, keyValues, machineKey } from './registry-reading.ts'
import { isUpdatePackage, uniqueUpdates, updateOf } from './update-package.ts'

const packages = machineKey('SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing\\Packages')

/** The updates of Windows that are installed and not replaced by newer ones. */
export const collectUpdates = (): InstalledUpdate[] =>
  uniqueUpdates(
    keyNames(packages)
      .filter(isUpdatePackage)
      .flatMap((name) => updateOf(name, keyValues(keyBelow(packages, name))) ?? []),
  )
