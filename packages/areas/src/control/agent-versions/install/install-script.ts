import { readFile } from 'node:fs/promises'
import { asSystem } from '@muster/db/database.ts'
import { trustedKeys } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import type { Services } from '../../../services.ts'
import { newestVersions } from '../versions.queries.ts'

const template = new URL('./install.sh', import.meta.url)
const versionsMax = 50

/** The install script with the address of this server, the executables and the keys that sign them. */
export async function installScript({ system, releases, settings }: Services): Promise<string> {
  const { publicUrl } = settings
  // The script has it in single quotes.
  if (!/^https?:\/\/[A-Za-z0-9._~:/[\]@-]+$/.test(publicUrl))
    throw new Error(`${publicUrl} does not fit into a shell script`)
  const [stable, all] = await asSystem(system, (db) =>
    Promise.all([false, true].map((candidates) => newestVersions(db, publicUrl, { candidates, limit: versionsMax }))),
  )
  // The script takes the first match, so stable versions come before candidates, which need their name.
  const lines = [...(stable ?? []), ...(all ?? [])].flatMap(({ version, targets }) =>
    targets.flatMap(({ kind, os, arch, sha256 }) => (kind === 'agent' ? [`${version} ${os}-${arch} ${sha256}`] : [])),
  )
  const root = releases === null ? null : await new Repository(releases).root()
  const keys = root === null ? '' : trustedKeys(root.signed).join('').trim()
  const text = await readFile(template, 'utf8')
  return text
    .replaceAll('@SERVER@', publicUrl)
    .replace('@RELEASES@', [...new Set(lines)].join('\n'))
    .replace('@THRESHOLD@', String(root?.signed.roles.targets?.threshold ?? 1))
    .replace('@KEYS@', keys)
}
