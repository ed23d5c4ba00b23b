import { can, get, id, page, pageOf, personCan, post, raw, time } from '@muster/kit/contract.ts'
import { releaseArchitectures, releaseSystems, releaseVersion } from '@muster/wire/release.ts'
import { z } from 'zod'

export const ReleaseKind = z.enum(['agent', 'helper'])
/** Names that people and other tools use for the same thing. */
const systemNames: Readonly<Record<string, string>> = { macos: 'darwin', win32: 'windows' }
const architectureNames: Readonly<Record<string, string>> = { x86_64: 'x64', amd64: 'x64', aarch64: 'arm64' }
const named = <T extends z.ZodType>(names: Readonly<Record<string, string>>, schema: T) =>
  z.preprocess(
    (given) => (typeof given === 'string' ? (names[given.toLowerCase()] ?? given.toLowerCase()) : given),
    schema,
  )
export const ReleaseSystem = named(systemNames, z.enum(releaseSystems))
export const ReleaseArchitecture = named(architectureNames, z.enum(releaseArchitectures))

export const AgentVersion = z.object({
  version: z.string(),
  /** Whether it is only a candidate for a version; these are never the latest. */
  candidate: z.boolean(),
  source: z.enum(['upstream', 'local']),
  notes: z.string().nullable(),
  releasedAt: time().nullable(),
  createdAt: time(),
  targets: z.array(
    z.object({
      id: id(),
      kind: ReleaseKind,
      os: z.enum(releaseSystems),
      arch: z.enum(releaseArchitectures),
      sha256: z.string(),
      size: z.number(),
      url: z.string(),
    }),
  ),
})
export type AgentVersion = z.infer<typeof AgentVersion>

const candidates = z.union([z.boolean(), z.stringbool()]).default(true)

export const versions = {
  list: get('/agent-versions', {
    summary: 'List registered agent versions, newest first',
    access: can('devices:read'),
    input: z.object({ ...page, candidates }),
    output: pageOf(AgentVersion),
  }),
  latest: get('/agent-versions/latest', {
    summary: 'Get the latest stable agent version',
    access: can('devices:read'),
    input: z.object({}),
    output: AgentVersion,
  }),
  download: raw('GET', '/agent-versions/:version/download', {
    summary: 'Download the executable of an agent version',
    access: can('devices:read'),
    transaction: 'own',
    input: z.object({
      version: releaseVersion,
      os: ReleaseSystem.default('linux'),
      arch: ReleaseArchitecture.default('x64'),
      kind: ReleaseKind.default('agent'),
    }),
    head: true,
    answers: [206, 302, 304, 416],
    refuses: [404],
    produces: 'application/octet-stream',
  }),
  syncUpstream: post('/agent-versions/sync-upstream', {
    summary: 'Register the executables of a release from the release host, by default the latest stable release',
    access: personCan('settings:write', 'system'),
    audit: 'agent_version.sync',
    transaction: 'own',
    input: z.object({ version: releaseVersion.optional() }),
    query: ['version'],
    output: z.object({
      version: z.string(),
      /** Each as `<kind>:<os>/<arch>`. */
      synced: z.array(z.string()),
    }),
  }),
}
