import type { KeptScript } from '@muster/areas/change/scripts/scripts.contract.ts'

/** What the screens of the library are narrowed to. */
export interface LibraryQuestion {
  readonly wanted: {
    readonly search?: string
    readonly language?: KeptScript['language']
    readonly osType?: KeptScript['osTypes'][number]
  }
  /** Clears it; absent when nothing is narrowed. */
  readonly clear: (() => void) | false
}
