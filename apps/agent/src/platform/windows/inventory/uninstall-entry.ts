import type { InstalledSoftware } from '@muster/wire/messages/inventory.ts'
import { word } from '../../inventory-values.ts'
import { dataOf, type EntryValue } from './entry-values.ts'

/** The program of an Uninstall key; undefined for parts of the system, updates and entries without a name. */
export function softwareOf(values: readonly EntryValue[], source: string): InstalledSoftware | undefined {
  const value = (name: string) => dataOf(values, name)
  const name = word(value('displayname'))
  const isPart = value('systemcomponent') === 1 || value('parentkeyname') !== undefined
  if (name === undefined || isPart || /^(Security Update|Update|Hotfix)$/i.test(String(value('releasetype') ?? '')))
    return undefined
  return {
    name,
    version: word(value('displayversion')),
    publisher: word(value('publisher')),
    source,
    installedAt: installDate(value('installdate')),
  }
}

/** `20261122`, as Windows Installer writes it; other installers write other forms. */
function installDate(text: unknown): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(typeof text === 'string' ? text : '') ?? []
  const at = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  return Number.isFinite(at) && at > 0 ? at : undefined
}
