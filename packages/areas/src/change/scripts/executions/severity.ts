import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
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

export const isFailure = (severity: ScriptSeverity): boolean => severity === 'error' || severity === 'critical'

/** The severity of each run of a kept script that took place, by its command. */
export async function severitiesOf(
  db: Db,
  ended: readonly (Ended & { readonly id: string })[],
): Promise<ReadonlyMap<string, ScriptSeverity>> {
  if (ended.length === 0) return new Map()
  const { rows } = await sql<{ commandId: string; exitCodes: ExitCodes }>`SELECT e.command_id, s.exit_codes
    FROM script_executions e JOIN scripts s ON s.id = e.script_id
    WHERE e.command_id = ANY (${ended.map(({ id }) => id)}::uuid[])`.execute(db)
  const codes = new Map(rows.map(({ commandId, exitCodes }) => [commandId, exitCodes]))
  return new Map(
    ended.flatMap((command): [string, ScriptSeverity][] => {
      const own = codes.get(command.id)
      const severity = own === undefined ? null : severityOf(own, command)
      return severity === null ? [] : [[command.id, severity]]
    }),
  )
}
