// Reports the ends of commands that steps sent. The worker of the run takes them up.
import { type EndedCommand, outcome } from '../../../background/outcome.ts'
import type { ScriptSeverity } from '../../scripts/exit-codes.contract.ts'
import { isFailure, severitiesOf } from '../../scripts/index.ts'
import { type Report, reportEnds } from './engine/reports.ts'

/** @param severity of the script that ran */
function reportOf(ended: EndedCommand, severity: ScriptSeverity | undefined): Report[] {
  const { partnerId, orgId, deviceId, origin, status, exitCode } = ended
  if (origin?.run === undefined) return []
  const end = severity === undefined ? `The command ended: ${status}` : `The script ended: ${severity}`
  const words = exitCode === null ? end : `${end}, exit code ${exitCode}`
  const isBad = severity === undefined ? status !== 'completed' : isFailure(severity)
  const { run: runId, step, attempt } = origin
  return [{ partnerId, orgId, runId, step, deviceId, attempt, error: isBad ? words : null }]
}

export const commandEnds = outcome({
  command: 'any',
  origins: ['automation'],
  async apply(_transaction, ended, db) {
    const scripts = ended.filter(({ type }) => type === 'run_script')
    const severities = await severitiesOf(db, scripts)
    await reportEnds(
      db,
      ended.flatMap((command) => reportOf(command, severities.get(command.id))),
    )
    return {}
  },
})
