import type { InstalledSoftware } from '@muster/wire/messages/inventory.ts'
import { word } from '../../inventory-values.ts'
import { dataOf, type EntryValue } from './entry-values.ts'

/** `Microsoft.WindowsCalculator_11.2210.0.0_x64__8wekyb3d8bbwe`: name, version, processor, resource and publisher. */
const fullName = /^([A-Za-z\d.-]+)_(\d+(?:\.\d+){3})_([A-Za-z\d]+)_([A-Za-z\d.~-]*)_[A-Za-z\d]{13}$/

/** The app of an AppX package; undefined for parts of an app, such as its texts in one language. */
export function appOf(key: string, values: readonly EntryValue[]): InstalledSoftware | undefined {
  const [, name = '', version, , resource = ''] = fullName.exec(key) ?? []
  if (name === '' || resource !== '') return undefined
  const title = word(dataOf(values, 'DisplayName'))
  return {
    // A title that starts so is kept in a file of the package.
    name: title === undefined || /^(@\{|ms-resource:)/.test(title) ? name : title,
    version,
    source: 'appx',
  }
}
