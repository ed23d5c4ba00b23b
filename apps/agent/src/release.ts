import { getAsset, isSea } from 'node:sea'
import { z } from 'zod'
import description from '../package.json' with { type: 'json' }

/** The file inside an executable that makes it a particular release; written by scripts/agent-build/stamp.ts. */
export const releaseAsset = 'release.json'

export const Release = z.object({
  version: z.string(),
  /** The root metadata that the first update is verified with. */
  trustedRoot: z.string().optional(),
})
export type Release = z.infer<typeof Release>

/** The release of this program. Run from sources it has the version of its package and trusts no root. */
export const release: Release = isSea()
  ? Release.parse(JSON.parse(getAsset(releaseAsset, 'utf8')))
  : { version: description.version }
