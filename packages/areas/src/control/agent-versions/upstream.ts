// Reads releases from a host with an API like that of GitHub releases. Its answers are validated before use.
import { AppError, badRequest, notFound, unavailable } from '@muster/kit/errors.ts'
import { type OutgoingAnswer, requestOutside } from '@muster/kit/network/outgoing.ts'
import { metadataName } from '@muster/releases/mirror.ts'
import { isCandidate, ReleaseTarget, releaseVersion } from '@muster/wire/release.ts'
import { z } from 'zod'
import type { ReleaseSource } from './area.settings.ts'
import type { About, Offered } from './registration.ts'

const Asset = z.object({
  name: z.string().max(255),
  browser_download_url: z.url({ protocol: /^https?$/ }).max(2048),
  size: z.int().min(0),
  digest: z.string().nullish(),
})
type Asset = z.infer<typeof Asset>
const Release = z.object({
  tag_name: z.string().max(100),
  draft: z.boolean().default(false),
  prerelease: z.boolean().default(false),
  published_at: z.iso.datetime({ offset: true }).nullish(),
  body: z.string().nullish(),
  assets: z.array(Asset).max(1_000),
})
type Release = z.infer<typeof Release>

const answerBytesMax = 2_000_000
const sumsBytesMax = 100_000
const signedFilesMax = 200
const signedBytesMax = 2_000_000
const notesCharsMax = 20_000
const redirectsMax = 3
const timeoutMs = 10_000
const assetName = /^muster-(agent|helper)-(linux|darwin|windows)-(x64|arm64)(\.exe)?$/

export interface UpstreamRelease {
  readonly version: string
  readonly executables: readonly Offered[]
  readonly about: About
  /** Signed metadata and lists of hashes that lie beside the executables, by name; empty where the release has none. */
  readonly signed: ReadonlyMap<string, Buffer>
}

/**
 * The release of that version, or the latest stable one.
 * @throws NOT_FOUND, or UNAVAILABLE naming what is wrong with the host or its answer
 */
export async function readUpstream(
  source: ReleaseSource | undefined,
  version: string | undefined,
): Promise<UpstreamRelease> {
  if (source === undefined || source.upstreamUrl === null)
    throw badRequest('No release host is set: RELEASES_UPSTREAM_URL')
  const release = await findRelease(source, source.upstreamUrl, version)
  const named = release.tag_name.replace(/^v/, '')
  if (!releaseVersion.safeParse(named).success || (version !== undefined && named !== version))
    throw wrongAnswer(`names its release ${release.tag_name}`)
  if (version === undefined && (release.prerelease || isCandidate(named)))
    throw wrongAnswer(`gives the candidate ${named} as its latest release`)
  const executables = await executablesOf(source, release, named)
  if (executables.length === 0) throw wrongAnswer(`has no executables of ${named}`)
  const { prerelease, published_at: releasedAt = null, body } = release
  return {
    version: named,
    executables,
    about: { prerelease, releasedAt, notes: body?.slice(0, notesCharsMax) ?? null },
    signed: await signedFilesOf(source, release),
  }
}

async function findRelease(source: ReleaseSource, base: string, version: string | undefined): Promise<Release> {
  const root = base.replace(/\/+$/, '')
  const paths = version === undefined ? ['latest'] : [`tags/v${version}`, `tags/${version}`]
  for (const path of paths) {
    const answer = await ask(source, `${root}/releases/${path}`, answerBytesMax)
    if (answer.status === 404) continue
    const release = Release.safeParse(jsonOf(answer))
    if (!release.success) throw wrongAnswer('does not answer with a release', release.error)
    // A draft is not published yet.
    if (!release.data.draft) return release.data
  }
  throw notFound('Release')
}

async function executablesOf(source: ReleaseSource, { assets }: Release, version: string): Promise<Offered[]> {
  const sums = await sumsOf(source, assets)
  return assets.flatMap((asset): Offered[] => {
    const [, kind, os, arch] = assetName.exec(asset.name) ?? []
    if (kind !== 'agent' && kind !== 'helper') return []
    const target = ReleaseTarget.parse({ version, os, arch })
    const sha256 = hashOf(asset, sums)
    return [{ ...target, kind, source: 'upstream', url: asset.browser_download_url, sha256, size: asset.size }]
  })
}

/** The hash of an asset. All sources that contain one must agree. */
function hashOf({ name, digest }: Asset, sums: ReadonlyMap<string, string>): string {
  const given = [/^sha256:([0-9a-f]{64})$/.exec(digest ?? '')?.[1], sums.get(name)].filter((hash) => hash !== undefined)
  const [hash, ...others] = given
  if (hash === undefined) throw wrongAnswer(`gives no SHA-256 of ${name}`)
  if (others.some((other) => other !== hash)) throw wrongAnswer(`gives two different SHA-256 of ${name}`)
  return hash
}

/** The signed parts of a release: the complete metadata, and the list that the install script verifies. */
async function signedFilesOf(source: ReleaseSource, { assets }: Release): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  if (!assets.some(({ name }) => name === 'timestamp.json')) return files
  const named = assets.filter(({ name }) => metadataName.test(name) || /^SHA256SUMS(\.sig)?$/.test(name))
  if (named.length > signedFilesMax) throw wrongAnswer('has more metadata than any release')
  for (const { name, browser_download_url: url } of named) {
    const answer = await ask(source, url, signedBytesMax)
    if (answer.status !== 200) throw wrongAnswer(`answers ${answer.status} for ${name}`)
    files.set(name, answer.body)
  }
  return files
}

async function sumsOf(source: ReleaseSource, assets: readonly Asset[]): Promise<Map<string, string>> {
  const list = assets.find(({ name }) => name === 'SHA256SUMS')
  if (list === undefined) return new Map()
  const answer = await ask(source, list.browser_download_url, sumsBytesMax)
  if (answer.status !== 200) throw wrongAnswer(`answers ${answer.status} for SHA256SUMS`)
  const lines = answer.body.toString('utf8').matchAll(/^([0-9a-f]{64}) [ *]([^\s/]{1,255})$/gm)
  return new Map([...lines].map(([, hash = '', name = '']) => [name, hash]))
}

/** Requests the host. Each redirect is a new request, whose address is checked again. */
async function ask(source: ReleaseSource, url: string, bytesMax: number): Promise<OutgoingAnswer> {
  let next = url
  for (let turn = 0; turn <= redirectsMax; turn++) {
    const answer = await askOnce(source, next, bytesMax)
    const { location } = answer.headers
    if (answer.status < 300 || answer.status >= 400 || typeof location !== 'string') {
      if (answer.status !== 200 && answer.status !== 404) throw wrongAnswer(`answers ${answer.status}`)
      return answer
    }
    next = new URL(location, next).href
  }
  throw wrongAnswer('redirects without end')
}

async function askOnce(source: ReleaseSource, url: string, bytesMax: number): Promise<OutgoingAnswer> {
  const isHost = source.upstreamUrl !== null && new URL(url).origin === new URL(source.upstreamUrl).origin
  const headers: Record<string, string> = { accept: 'application/vnd.github+json, */*', 'user-agent': 'muster' }
  // Only the host receives the token, never the target of a redirect.
  if (isHost && source.upstreamToken !== null) headers.authorization = `Bearer ${source.upstreamToken}`
  try {
    return await requestOutside(url, { headers, bytesMax, timeoutMs }, source.allowedNetworks)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw unavailable('The release host cannot be reached or does not answer in time', 60, error)
  }
}

function jsonOf(answer: OutgoingAnswer): unknown {
  try {
    return JSON.parse(answer.body.toString('utf8'))
  } catch (error) {
    throw wrongAnswer('does not answer with JSON', error)
  }
}

const wrongAnswer = (what: string, cause?: unknown) => unavailable(`The release host ${what}`, 60, cause)
