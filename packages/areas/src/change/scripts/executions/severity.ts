import type { CommandStatus } from '../../../control/commands/commands.contract.ts'
import type { ExitCodes, ScriptSeverity } from '../exit-codes.contract.ts'

interface Ended {
  readonly status: CommandStatus
  readonly exitCode: number | null
}

/** The severity of a run that ended; null for runs that did not take place. */
export function severityOf(exitCodes: ExitCodes, { status, exitCode }: Ended): ScriptSeverity | null {
  if (status === 'cancelled' || status === 'expired') return null
  if (status === 'timed_out' || exitCode === null) return 'error'
  return exitCodes[String(exitCode)] ?? (exitCode === 0 ? 'success' : (exitCodes['*'] ?? 'error'))
}
