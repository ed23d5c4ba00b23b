import { getAsset, isSea } from 'node:sea'
import { z } from 'zod'
import description from '../package.json' with { type: 'json' }

/** The file inside an executable that makes it one particular release; written by scripts/agent-build/stamp.ts. */
export const releaseAsset = 'release.json'

export const Release = z.object({
  version: z.string(),
  /** Text of the root metadata that the first update is checked with. */
  trustedRoot: z.string().optional(),
})
export type Release = z.infer<typeof Release>

/** What this program was released as. Run from its sources it has the version of its package, and trusts nobody. */
export const release: Release = isSea()
  ? Release.parse(JSON.parse(getAsset(releaseAsset, 'utf8')))
  : { version: description.version }
