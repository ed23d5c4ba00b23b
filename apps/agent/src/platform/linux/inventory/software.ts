import type { InstalledSoftware } from '@muster/wire/messages/inventory.ts'
import { outputOf } from '../tool.ts'

const dpkgFields = ['db:Status-Status', 'binary:Package', 'Version', 'Maintainer']
const dpkgFormat = `${dpkgFields.map((field) => `\${${field}}`).join('\\t')}\\n`
const rpmFormat = '%{NAME}\\t%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\t%{VENDOR}\\t%{INSTALLTIME}\\n'

/** Installed packages of all package managers on the machine. */
export async function collectSoftware(): Promise<InstalledSoftware[]> {
  const dpkg = await outputOf('dpkg-query', ['-W', '-f', dpkgFormat])
  const rpm = await outputOf('rpm', ['-qa', '--qf', rpmFormat])
  const apk = await outputOf('apk', ['info', '-v'])
  return [...parseDpkg(dpkg ?? ''), ...parseRpm(rpm ?? ''), ...parseApk(apk ?? '')]
}

/** Lines of status, package, version and maintainer. Removed packages with remaining configuration are not installed. */
export function parseDpkg(text: string): InstalledSoftware[] {
  return rows(text).flatMap(([status, name, version, maintainer]) =>
    status === 'installed' && name ? [{ name, version, publisher: known(maintainer), source: 'dpkg' }] : [],
  )
}

export function parseRpm(text: string): InstalledSoftware[] {
  return rows(text).flatMap(([name, version, vendor, installed]) => {
    // Imported signing keys are listed as packages.
    if (!name || name === 'gpg-pubkey') return []
    const seconds = Number(installed)
    return [
      {
        name,
        version: version?.replace(/^0:/, ''),
        publisher: known(vendor),
        source: 'rpm',
        installedAt: Number.isSafeInteger(seconds) && seconds > 0 ? seconds * 1000 : undefined,
      },
    ]
  })
}

export function parseApk(text: string): InstalledSoftware[] {
  return rows(text).flatMap(([line]) => {
    const match = /^(.+)-(\d[^-]*-r\d+)$/.exec(line ?? '')
    return match?.[1] === undefined ? [] : [{ name: match[1], version: match[2], source: 'apk' }]
  })
}

function rows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t').map((field) => field.trim().slice(0, 255)))
}

function known(publisher: string | undefined): string | undefined {
  return publisher === undefined || publisher === '' || publisher === '(none)' ? undefined : publisher
}
