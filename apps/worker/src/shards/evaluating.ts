import type { Evaluating, Evaluator } from '@muster/areas/background/evaluator.ts'
import type { WorkerParts } from '@muster/areas/background/worker-parts.ts'

/** The evaluation of new heartbeats; null if no area evaluates them. @throws when two areas do */
export function evaluatingOf(evaluators: readonly Evaluator[], worker: WorkerParts): Evaluating | null {
  const [evaluator, ...more] = evaluators
  if (more.length > 0)
    throw new Error(`Two areas evaluate heartbeats: ${evaluators.map(({ name }) => name).join(', ')}`)
  return evaluator?.begin(worker) ?? null
}
