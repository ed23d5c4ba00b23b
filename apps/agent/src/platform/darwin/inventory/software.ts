import type { InstalledSoftware } from '@muster/wire/messages/inventory.ts'
import { word } from '../../inventory-values.ts'
import { type Mac, printed } from '../mac.ts'
import { type Profile, readProfile } from '../profile.ts'

/** Applications, and the receipts of packages. */
export async function collectSoftware(mac: Mac): Promise<InstalledSoftware[]> {
  const applications = parseApplications(await readProfile(mac, ['SPApplicationsDataType']))
  const receipts = parseReceipts(await printed(mac, 'pkgutil', ['--regexp', '--pkg-info', '.*']))
  if (receipts.length > 0) return [...applications, ...receipts]
  return [...applications, ...parseReceiptNames(await printed(mac, 'pkgutil', ['--pkgs']))]
}

/** Bundles that are part of the system have its version; they are left out. */
const ofTheSystem = /^\/System\/(Library|iOSSupport|Volumes\/Preboot)\//

export function parseApplications(profile: Profile): InstalledSoftware[] {
  return profile('SPApplicationsDataType').flatMap((item) => {
    const name = word(item._name)
    if (name === undefined || (typeof item.path === 'string' && ofTheSystem.test(item.path))) return []
    return [
      {
        name,
        version: word(item.version),
        publisher: publisherOf(item.obtained_from, item.signed_by),
        source: 'app',
        installedAt: momentOf(item.lastModified),
      },
    ]
  })
}

/** `Developer ID Application: Example LLC (ABCDE12345)` */
function publisherOf(from: unknown, signers: unknown): string | undefined {
  const [first] = Array.isArray(signers) ? signers : []
  const name = word(
    /^(?:Developer ID|3rd Party Mac Developer|Apple) [\w ]+: (.+?)(?: \([A-Z0-9]{10}\))?$/u.exec(String(first))?.[1],
  )
  return name ?? (from === 'apple' ? 'Apple' : from === 'mac_app_store' ? 'Mac App Store' : undefined)
}

function momentOf(text: unknown): number | undefined {
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}

/** Blocks of `pkgutil --pkg-info`. */
export function parseReceipts(text: string): InstalledSoftware[] {
  return text.split(/^(?=package-id: )/m).flatMap((block) => {
    const field = (name: string) => word(new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1])
    const [name, seconds] = [field('package-id'), Number(field('install-time'))]
    if (name === undefined) return []
    const installedAt = Number.isSafeInteger(seconds) && seconds > 0 ? seconds * 1000 : undefined
    return [{ name, version: field('version'), source: 'pkg', installedAt }]
  })
}

export const parseReceiptNames = (text: string): InstalledSoftware[] =>
  text.split('\n').flatMap((line) => {
    const name = word(line)
    return name === undefined ? [] : [{ name, source: 'pkg' }]
  })
