// Reports the ends of commands that steps sent. The worker of the run takes them up.
import { type EndedCommand, outcome } from '../../../background/outcome.ts'
import { type Report, reportEnds } from './engine/reports.ts'

function reportOf({ partnerId, orgId, deviceId, origin, status, exitCode }: EndedCommand): Report[] {
  if (origin?.run === undefined) return []
  const words =
    exitCode === null ? `The command ended: ${status}` : `The command ended: ${status}, exit code ${exitCode}`
  const { run: runId, step, attempt } = origin
  return [{ partnerId, orgId, runId, step, deviceId, attempt, error: status === 'completed' ? null : words }]
}

export const commandEnds = outcome({
  command: 'any',
  origins: ['automation'],
  async apply(_transaction, ended, db) {
    await reportEnds(db, ended.flatMap(reportOf))
    return {}
  },
})
