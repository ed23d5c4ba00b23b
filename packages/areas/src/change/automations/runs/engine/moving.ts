import type { Db } from '@muster/db/database.ts'
import type { WorkerParts } from '../../../../background/worker-parts.ts'
import type { PartnerEvent } from '../../../../platform/live-events/index.ts'

/** One move of a run: its transaction, and what follows the commit. */
export interface Moving {
  readonly db: Db
  readonly parts: WorkerParts
  readonly events: PartnerEvent[]
  readonly afterCommit: (() => unknown)[]
}
