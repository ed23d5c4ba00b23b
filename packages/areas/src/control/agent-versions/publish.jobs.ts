import { asSystem } from '@muster/db/database.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import type { Log } from '@muster/kit/log.ts'
import type { ReleaseKey } from '@muster/releases/keys.ts'
import { mirrorMetadata } from '@muster/releases/mirror.ts'
import { Repository } from '@muster/releases/repository.ts'
import type pg from 'pg'
import type { Job } from '../../background/job.ts'
import type { ReleaseSource } from '../../services.ts'
import { publishedIn, register } from './registration.ts'
import { readUpstream } from './upstream.ts'

/** A timestamp is renewed when it is good for less than this; it lasts a day. */
const renewWithinMs = 12 * 3_600_000

/**
 * Registers what the store has signed and published, and forgets what was taken back. With the online key, renews the
 * timestamp first, so that agents can tell fresh metadata from what somebody held back.
 */
export async function followReleases(
  pool: pg.Pool,
  store: ObjectStore,
  online: ReleaseKey | null,
  log: Log,
): Promise<void> {
  const repository = new Repository(store)
  if ((await repository.root()) === null) return
  if (online !== null && (await repository.renew(online, renewWithinMs)))
    log.info('the timestamp of releases is renewed')
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
 * Brings the metadata that is kept for a release host up to date: its timestamp is good for a day. Versions are registered by people alone.
 * @throws when the host cannot be read, or says what is not to be trusted; what is here stays then
 */
export async function followUpstream(store: ObjectStore, source: ReleaseSource): Promise<void> {
  if (source.source !== 'upstream' || source.upstreamUrl === null) return
  if ((await new Repository(store).root()) === null) return
  const { signed } = await readUpstream(source, undefined)
  if (signed.size > 0) await mirrorMetadata(store, signed)
}

/** What the store of releases holds is known to the database. */
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
