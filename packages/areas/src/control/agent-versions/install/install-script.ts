import { readFile } from 'node:fs/promises'
import { asSystem } from '@muster/db/database.ts'
import { trustedKeys } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import type { Services } from '../../../services.ts'
import { newestVersions } from '../versions.queries.ts'

const versionsMax = 50
const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')

/** The script that installs the agent on Linux and macOS. */
export const shellScript = async (services: Services): Promise<string> => filled(services, await read('./install.sh'))

/** The script that installs the agent on Windows. */
export async function powerShellScript(services: Services): Promise<string> {
  const [template, verifier] = await Promise.all(['./install.ps1', './release-signature.cs'].map(read))
  return filled(
    services,
    `${template}`.replace('@VERIFIER@', () => `${verifier}`.trim()),
  )
}

/** A script with the address of this server, the executables and the keys that sign them. */
async function filled({ system, releases, settings }: Services, template: string): Promise<string> {
  const { publicUrl } = settings
  // The script has it in single quotes.
  if (!/^https?:\/\/[A-Za-z0-9._~:/[\]@-]+$/.test(publicUrl))
    throw new Error(`${publicUrl} does not fit into an install script`)
  const [stable, all] = await asSystem(system, (db) =>
    Promise.all([false, true].map((candidates) => newestVersions(db, publicUrl, { candidates, limit: versionsMax }))),
  )
  // The script takes the first match, so stable versions come before candidates, which need their name.
  const lines = [...(stable ?? []), ...(all ?? [])].flatMap(({ version, targets }) =>
    targets.flatMap(({ kind, os, arch, sha256 }) => (kind === 'agent' ? [`${version} ${os}-${arch} ${sha256}`] : [])),
  )
  const root = releases === null ? null : await new Repository(releases).root()
  const keys = root === null ? '' : trustedKeys(root.signed).join('').trim()
  return template
    .replaceAll('@SERVER@', publicUrl)
    .replace('@RELEASES@', [...new Set(lines)].join('\n'))
    .replace('@THRESHOLD@', String(root?.signed.roles.targets?.threshold ?? 1))
    .replace('@KEYS@', keys)
}
