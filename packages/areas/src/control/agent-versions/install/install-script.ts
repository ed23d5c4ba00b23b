import { readFile } from 'node:fs/promises'
import { asSystem } from '@muster/db/database.ts'
import { trustedKeys } from '@muster/releases/keys.ts'
import { Repository } from '@muster/releases/repository.ts'
import type { Services } from '../../../services.ts'
import { newestVersions } from '../versions.queries.ts'

const template = new URL('./install.sh', import.meta.url)
const versionsMax = 50

/** The install script with this server's address, what it can install and the keys that it has to be signed with. */
export async function installScript({ system, releases, settings }: Services): Promise<string> {
  const { publicUrl } = settings
  // It stands between single quotes in the script.
  if (!/^https?:\/\/[A-Za-z0-9._~:/[\]@-]+$/.test(publicUrl))
    throw new Error(`${publicUrl} does not fit into a shell script`)
  const [stable, all] = await asSystem(system, (db) =>
    Promise.all([false, true].map((candidates) => newestVersions(db, publicUrl, { candidates, limit: versionsMax }))),
  )
  // The first that fits is taken: stable ones come before candidates, which have to be asked for by name.
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
