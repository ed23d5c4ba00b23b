// Whether a run starts: pure rules over what is known of its automation and of other runs.

/** Automations that may lead to each other, one after another. */
export const chainMax = 5

/** Why a run does not start. */
export type RunRefusal =
  | 'loop'
  | 'chain_too_long'
  | 'awaiting_approval'
  | 'tripped'
  | 'no_devices'
  | 'overlap'
  | 'cooldown'
  | 'too_many_runs'
  | 'device_loop'

/** Why an event that runs led to does not start this automation; null if it does. */
export function refusalOfChain(chain: readonly string[], automationId: string): 'loop' | 'chain_too_long' | null {
  if (chain.includes(automationId)) return 'loop'
  return chain.length >= chainMax ? 'chain_too_long' : null
}

export type Verdict = 'start' | 'wait' | 'overlap' | 'cooldown'

/** What becomes of a run beside others of its automation. */
export function verdictBeside(
  overlap: 'skip' | 'queue' | 'parallel',
  { isOpen, isCooling }: { readonly isOpen: boolean; readonly isCooling: boolean },
): Verdict {
  if (isOpen && overlap === 'queue') return 'wait'
  if (isOpen && overlap === 'skip') return 'overlap'
  return isCooling ? 'cooldown' : 'start'
}

export interface Counts {
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  readonly skipped: number
}

/** How a run ended, by its devices and by whether a step that is done once failed. */
export function endOf(
  { total, succeeded, failed }: Counts,
  onceFailed: boolean,
): 'completed' | 'partial' | 'failed' | 'skipped' {
  if (total === 0) return onceFailed ? 'failed' : 'completed'
  if (succeeded === total && !onceFailed) return 'completed'
  if (succeeded > 0) return 'partial'
  return failed > 0 || onceFailed ? 'failed' : 'skipped'
}

/** How a step ended, by its tasks. */
export function endOfStep(
  states: readonly ('succeeded' | 'failed' | 'skipped')[],
): 'succeeded' | 'partial' | 'failed' | 'skipped' {
  if (states.every((state) => state === 'skipped')) return 'skipped'
  if (states.every((state) => state !== 'failed')) return states.includes('skipped') ? 'partial' : 'succeeded'
  return states.includes('succeeded') ? 'partial' : 'failed'
}
