import type { RawAnswer } from '@muster/kit/call.ts'
import { notFound } from '@muster/kit/errors.ts'
import { Repository, targetFile } from '@muster/releases/repository.ts'
import { type ReleaseTarget, releaseTargetPath } from '@muster/wire/release.ts'
import type { Call } from '../../operation.ts'
import { serveFile } from './served-file.ts'
import type { Registered } from './versions.queries.ts'

type Asked = Pick<Call, 'services' | 'request'>

const aboutOf = ({ version, sha256 }: { version: string; sha256: string }) => ({
  'x-agent-version': version,
  'x-checksum-sha256': sha256,
})

/** The executable, or a redirect to the host that has it. @throws NOT_FOUND naming what is missing */
export async function executableAnswer(
  call: Asked,
  wanted: { readonly os: string; readonly arch: string; readonly version?: string | undefined },
  found: Registered | undefined,
): Promise<RawAnswer> {
  const { os, arch, version } = wanted
  const missing = notFound(
    version === undefined ? `Agent for ${os}/${arch}` : `Agent version ${version} for ${os}/${arch}`,
  )
  if (found === undefined) throw missing
  if (found.url !== null) {
    const headers = { ...aboutOf(found), location: found.url, 'cache-control': 'no-cache' }
    return { status: 302, headers, body: null }
  }
  const answer = await storedExecutable(call, found, false)
  if (answer === null) throw missing
  return answer
}

/** The installer of a registered version, if our own store has it. @throws NOT_FOUND naming what is missing */
export async function installerAnswer(
  call: Asked,
  { os, arch }: { readonly os: string; readonly arch: string },
  found: Registered | undefined,
): Promise<RawAnswer> {
  const { releases } = call.services
  const published = found === undefined || releases === null ? [] : await new Repository(releases).published()
  const path = found && releaseTargetPath({ ...found, format: 'msi' })
  const installer = published.find((target) => target.path === path)
  const answer = installer === undefined ? null : await storedExecutable(call, installer, false)
  if (answer === null) throw notFound(`MSI of the agent for ${os}/${arch}`)
  return answer
}

/**
 * An executable of our own store; null if it is missing.
 * @param immutable whether the content of this address never changes
 */
export async function storedExecutable(
  { services, request }: Asked,
  target: ReleaseTarget & { readonly sha256: string },
  immutable: boolean,
): Promise<RawAnswer | null> {
  if (services.releases === null) return null
  const name = `muster-agent${target.os === 'windows' ? `.${target.format ?? 'exe'}` : ''}`
  return serveFile(request, services.releases, {
    path: `targets/${targetFile(target, target.sha256)}`,
    tag: target.sha256,
    immutable,
    headers: {
      ...aboutOf(target),
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
    },
  })
}
