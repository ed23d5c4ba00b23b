import { asSystem } from '@muster/db/database.ts'
import { type ObjectStore, replaceWith } from '@muster/files/object-store.ts'
import { badRequest, conflict, notFound } from '@muster/kit/errors.ts'
import { mirrorMetadata, NotTrusted } from '@muster/releases/mirror.ts'
import { Repository } from '@muster/releases/repository.ts'
import { compareVersions, isCandidate, releaseTargetPath } from '@muster/wire/release.ts'
import { type Call, implement } from '../../operation.ts'
import { executableAnswer } from './executable.ts'
import { publishedIn, register } from './registration.ts'
import { readUpstream, type UpstreamRelease } from './upstream.ts'
import { versions as contract } from './versions.contract.ts'
import { findExecutable, listVersions, newestVersions } from './versions.queries.ts'

export default implement(contract, {
  async list({ input: { page, limit, candidates }, db, services }) {
    return listVersions(db, services.settings.publicUrl, candidates, { page, limit })
  },

  async latest({ db, services }) {
    const [latest] = await newestVersions(db, services.settings.publicUrl, { candidates: false, limit: 1 })
    if (latest === undefined) throw notFound('Agent version')
    return latest
  },

  async download(call) {
    const found = await asSystem(call.services.system, (db) => findExecutable(db, call.input))
    return executableAnswer(call, call.input, found)
  },

  async syncUpstream({ input, services, write, audit }) {
    const { version, executables, about, signed } = await releaseOf(services, input.version)
    await keepSigned(services.releases, version, executables, signed)
    const synced = executables.map(({ kind, os, arch }) => `${kind}:${os}/${arch}`).sort()
    await write(async (db) => {
      await register(db, executables, about)
      audit({ target: version, name: version, details: { synced } })
    })
    return { version, synced }
  },
})

/** The release to register: of the release host, or of our own store if executables come from there. */
async function releaseOf(services: Call['services'], wanted: string | undefined): Promise<UpstreamRelease> {
  const { releases: source } = services.settings
  if (source?.source !== 'local') return readUpstream(source, wanted)
  if (services.releases === null) throw badRequest('No place for releases is set: RELEASES_DIR or RELEASES_S3_URL')
  const published = await publishedIn(services.releases)
  const stable = published.map(({ version }) => version).filter((version) => !isCandidate(version))
  const version = wanted ?? stable.sort(compareVersions).at(-1)
  const executables = published.filter((target) => target.version === version)
  if (version === undefined || executables.length === 0) throw notFound('Release')
  return { version, executables, about: {}, signed: new Map() }
}

/** Stores the signed metadata of a release host, which agents and the install script verify. @throws CONFLICT if it is not trusted */
async function keepSigned(
  store: ObjectStore | null,
  version: string,
  executables: UpstreamRelease['executables'],
  signed: UpstreamRelease['signed'],
): Promise<void> {
  if (store === null || signed.size === 0) return
  try {
    await mirrorMetadata(store, signed)
  } catch (error) {
    if (!(error instanceof NotTrusted)) throw error
    throw conflict(`The metadata of the release is not to be trusted: ${error.message}`)
  }
  const targets = new Map((await new Repository(store).published()).map((target) => [target.path, target.sha256]))
  for (const { os, arch, sha256, kind } of executables) {
    const path = releaseTargetPath({ version, os, arch })
    if (kind === 'agent' && targets.get(path) !== sha256)
      throw conflict(`The metadata of the release does not vouch for ${path}`)
  }
  for (const name of ['SHA256SUMS', 'SHA256SUMS.sig']) {
    const bytes = signed.get(name)
    if (bytes !== undefined) await replaceWith(store, `targets/${version}/${name}`, bytes)
  }
}
