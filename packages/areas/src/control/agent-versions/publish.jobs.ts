import { asSystem } from '@muster/db/database.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import type { Log } from '@muster/kit/log.ts'
import type { ReleaseKey } from '@muster/releases/keys.ts'
import { mirrorMetadata } from '@muster/releases/mirror.ts'
import { Repository } from '@muster/releases/repository.ts'
import type pg from 'pg'
import type { Job } from '../../background/job.ts'
import type { ReleaseSource } from './area.settings.ts'
import { publishedIn, register } from './registration.ts'
import { readUpstream } from './upstream.ts'

/** A timestamp is valid for a day and is renewed when less than this is left. */
const renewWithinMs = 12 * 3_600_000

/**
 * Registers signed and published versions of the store, and removes withdrawn ones. With the online key, it first renews the
 * timestamp, so that agents detect outdated metadata.
 */
export async function followReleases(
  pool: pg.Pool,
  store: ObjectStore,
  online: ReleaseKey | null,
  log: Log,
): Promise<void> {
  const repository = new Repository(store)
  if ((await repository.root()) === null) return
  if (online !== null && (await repository.renew(online, renewWithinMs))) log.info('Timestamp of releases renewed')
  const published = await publishedIn(store)
  await asSystem(pool, async (db) => {
    await register(db, published)
    const names = published.map(({ version, os, arch }) => `${version} ${os} ${arch}`)
    await db
      .deleteFrom('agentVersions')
      .where('source', '=', 'local')
      .where(({ eb, fn, val }) =>
        eb(fn('concat_ws', [val(' '), 'version', 'os', 'arch']), 'not in', names.length > 0 ? names : ['']),
      )
      .execute()
  })
}

/**
 * Updates the stored metadata of a release host, whose timestamp is valid for a day. Only people register versions.
 * @throws when the host cannot be read or its metadata is not trusted; the stored metadata stays
 */
export async function followUpstream(store: ObjectStore, source: ReleaseSource): Promise<void> {
  if (source.source !== 'upstream' || source.upstreamUrl === null) return
  if ((await new Repository(store).root()) === null) return
  const { signed } = await readUpstream(source, undefined)
  if (signed.size > 0) await mirrorMetadata(store, signed)
}

/** Registers the versions in the store of releases. */
export const releases: Job = {
  name: 'releases',
  when: { everyMs: 30_000 },
  by: 'one worker',
  begin({ pool, log, settings: { releases } }) {
    return releases && (() => followReleases(pool, releases.store, releases.onlineKey, log))
  },
}

export const releaseMetadata: Job = {
  name: 'release-metadata',
  when: { everyMs: 3_600_000 },
  by: 'one worker',
  begin({ settings: { releases } }) {
    return releases && (() => followUpstream(releases.store, releases.source))
  },
}
