import type { ReleaseTarget } from '@muster/wire/release.ts'

/** A signed target, for people and the service. */
export interface SignedTarget extends ReleaseTarget {
  readonly path: string
  /** The path of its bytes under `targets/`: consistent snapshots put the hash into the name. */
  readonly file: string
  readonly sha256: string
  readonly size: number
}
