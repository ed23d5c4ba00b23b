import type { Db } from '@muster/db/database.ts'
import { type Page, type Paged, pagedSql } from '@muster/db/page.ts'
import { targetFile } from '@muster/releases/repository.ts'
import type { ReleaseTarget } from '@muster/wire/release.ts'
import { sql } from 'kysely'
import type { AgentVersion } from './versions.contract.ts'

/** Where executables of our own store, and the metadata of all, are served. */
export const releasesPath = '/api/v1/agents/releases'

export interface Registered {
  readonly id: string
  readonly version: string
  readonly kind: 'agent' | 'helper'
  readonly os: ReleaseTarget['os']
  readonly arch: ReleaseTarget['arch']
  readonly source: 'upstream' | 'local'
  readonly url: string | null
  readonly sha256: string
  readonly size: number
}

/** The address that the bytes of an executable are fetched from. */
export function urlOf(registered: Registered, publicUrl: string): string {
  return registered.url ?? `${publicUrl}${releasesPath}/targets/${targetFile(registered, registered.sha256)}`
}

const columns = ['id', 'version', 'kind', 'os', 'arch', 'source', 'url', 'sha256', 'size'] as const

/** One executable; of the newest version that is not a candidate if none is named. */
export async function findExecutable(
  db: Db,
  wanted: {
    kind: 'agent' | 'helper'
    os: ReleaseTarget['os']
    arch: ReleaseTarget['arch']
    version?: string | undefined
  },
): Promise<Registered | undefined> {
  const found = await db
    .selectFrom('agentVersions')
    .select(columns)
    .where('kind', '=', wanted.kind)
    .where('os', '=', wanted.os)
    .where('arch', '=', wanted.arch)
    .$if(wanted.version === undefined, (query) => query.where('candidate', '=', false))
    .$if(wanted.version !== undefined, (query) => query.where('version', '=', wanted.version ?? ''))
    .orderBy(sql`agent_version_order(version)`, 'desc')
    .limit(1)
    .executeTakeFirst()
  return found as Registered | undefined
}

interface VersionRow extends Omit<AgentVersion, 'targets'> {
  readonly targets: Registered[]
}

const versionRows = (candidates: boolean) => sql<VersionRow>`
    SELECT version, bool_or(candidate) AS candidate, min(source) AS source, min(notes) AS notes, min(released_at) AS released_at,
      min(created_at) AS created_at, json_agg(json_build_object('id', id, 'version', version, 'kind', kind, 'os', os, 'arch', arch,
        'source', source, 'sha256', sha256, 'size', size, 'url', url) ORDER BY kind, os, arch) AS targets
    FROM agent_versions WHERE ${candidates} OR NOT candidate
    GROUP BY version`
const newestFirst = sql`agent_version_order(version) DESC`

const asVersion =
  (publicUrl: string) =>
  ({ targets, ...row }: VersionRow): AgentVersion => ({
    ...row,
    targets: targets.map((target) => ({ ...target, url: urlOf(target, publicUrl) })),
  })

/** A page of the versions with their executables, the newest first. */
export async function listVersions(
  db: Db,
  publicUrl: string,
  candidates: boolean,
  page: Page,
): Promise<Paged<AgentVersion>> {
  const { data, pagination } = await pagedSql(db, { rows: versionRows(candidates), orderBy: newestFirst }, page)
  return { data: data.map(asVersion(publicUrl)), pagination }
}

/** The newest versions with their executables. */
export async function newestVersions(
  db: Db,
  publicUrl: string,
  { candidates, limit }: { candidates: boolean; limit: number },
): Promise<AgentVersion[]> {
  const newest = sql<VersionRow>`${versionRows(candidates)} ORDER BY ${newestFirst} LIMIT ${limit}`
  return (await newest.execute(db)).rows.map(asVersion(publicUrl))
}
