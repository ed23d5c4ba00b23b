import type { Db } from '@muster/db/database.ts'
import type { ObjectStore } from '@muster/files/object-store.ts'
import { conflict } from '@muster/kit/errors.ts'
import { Repository } from '@muster/releases/repository.ts'
import { isCandidate, type ReleaseTarget } from '@muster/wire/release.ts'

/** One executable that is to be registered. */
export interface Offered extends ReleaseTarget {
  readonly kind: 'agent' | 'helper'
  readonly source: 'upstream' | 'local'
  readonly url: string | null
  readonly sha256: string
  readonly size: number
}

/** Properties of the release. */
export interface About {
  readonly prerelease?: boolean
  readonly notes?: string | null
  readonly releasedAt?: string | null
}

/**
 * Registers executables. A repeated registration changes nothing; the bytes of a version never change.
 * @throws CONFLICT when one is registered with another hash
 */
export async function register(db: Db, offered: readonly Offered[], about: About = {}): Promise<void> {
  for (const { version, kind, os, arch, source, url, sha256, size } of offered) {
    const candidate = about.prerelease === true || isCandidate(version)
    const { notes = null, releasedAt = null } = about
    const values = { version, kind, os, arch, source, url, sha256, size, candidate, notes, releasedAt }
    const stored = await db
      .insertInto('agentVersions')
      .values(values)
      .onConflict((on) =>
        on.columns(['version', 'kind', 'os', 'arch']).doUpdateSet({ source, url, candidate, notes, releasedAt }),
      )
      .returning(['sha256', 'size'])
      .executeTakeFirstOrThrow()
    if (stored.sha256 !== sha256 || stored.size !== size)
      throw conflict(`Version ${version} for ${os}/${arch} is registered with other bytes: give it a new version`)
  }
}

/** The executables that our own store has signed and published. Of a release host it may have only the metadata. */
export async function publishedIn(store: ObjectStore): Promise<Offered[]> {
  const targets = (await new Repository(store).published()).filter(({ format }) => format === undefined)
  const sizes = await Promise.all(targets.map(({ file }) => store.size(`targets/${file}`)))
  const held = targets.filter((_, index) => sizes[index] !== null)
  return held.map(({ version, os, arch, sha256, size }) => {
    return { version, os, arch, sha256, size, kind: 'agent', source: 'local', url: null }
  })
}
