import { asSystem } from '@muster/db/database.ts'
import { everywhere } from '../../../../background/job.ts'
import type { WorkerParts } from '../../../../background/worker-parts.ts'
import { moveRun } from './move.ts'
import { takeReports } from './reports.ts'

const pollMs = 150
/** Runs that one worker moves at the same time. */
const lanes = 4
/** Then other work of the worker gets its turn. */
const movesMax = 500

/** Moves all runs that are due, in this worker and beside others. */
export async function moveRuns(parts: WorkerParts): Promise<void> {
  while (await asSystem(parts.pool, takeReports)) {}
  let left = movesMax
  const lane = async () => {
    while (left-- > 0 && (await moveRun(parts))) {}
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

export const automationEngine = everywhere(pollMs, 'automation-runs', moveRuns)
