// Notes the runs of scripts with their commands, and what their ends mean: a severity, and an alert from a warning on.
import type { Db } from '@muster/db/database.ts'
import { sql } from 'kysely'
import { type EndedCommand, outcome } from '../../../background/outcome.ts'
import { aboutDevice, keepEvents } from '../../../fleet/devices/index.ts'
import type { PartnerEvent } from '../../../platform/live-events/index.ts'
import { clearAlerts, raiseAlerts } from '../../../watch/alerts/index.ts'
import type { ExitCodes, ScriptSeverity } from '../exit-codes.contract.ts'
import { ScriptSubject } from './executions.contract.ts'
import { scriptEnded } from './script-events.contract.ts'
import { severityOf } from './severity.ts'

const alertSeverities = { warning: 'medium', error: 'high', critical: 'critical' } as const

export const scriptRuns = outcome({
  command: 'run_script',

  async begin(db, subject, commands) {
    if (subject.kind !== 'script') return
    const { id, versionId, version, sha256, parameters } = ScriptSubject.parse(subject)
    const ids = commands.map((command) => command.id)
    await sql`INSERT INTO script_executions (partner_id, org_id, device_id, script_id, version_id, version, sha256,
        command_id, batch_id, parameters, created_by, created_at)
      SELECT c.partner_id, c.org_id, c.device_id, ${id}::uuid, ${versionId}::uuid, ${version}::int, ${sha256},
        c.id, c.batch_id, ${JSON.stringify(parameters)}::jsonb, c.created_by, c.created_at
      FROM device_commands c WHERE c.id = ANY (${ids}::uuid[])`.execute(db)
  },

  async apply(_transaction, ended, db) {
    const runs = await runsOf(db, ended)
    if (runs.length === 0) return {}
    await sql`UPDATE script_executions e SET severity = u.severity
      FROM unnest(${runs.map(({ id }) => id)}::uuid[], ${runs.map(({ severity }) => severity)}::text[]) AS u (id, severity)
      WHERE e.id = u.id`.execute(db)
    await keepEvents(db, runs.map(endedEvent))
    return { events: await tellAlerts(db, runs) }
  },
})

interface StoredRun {
  readonly id: string
  readonly scriptId: string
  readonly commandId: string
  readonly deviceId: string
  readonly partnerId: string
  readonly orgId: string
  readonly siteId: string | null
  readonly hostname: string
  readonly scriptName: string
  readonly exitCodes: ExitCodes
}

interface EndedRun extends StoredRun {
  readonly severity: ScriptSeverity
  readonly command: EndedCommand
}

/** The runs among ended commands that took place, each with its severity. */
async function runsOf(db: Db, ended: readonly EndedCommand[]): Promise<EndedRun[]> {
  const took = ended.filter((command) => severityOf({}, command) !== null)
  if (took.length === 0) return []
  const { rows } =
    await sql<StoredRun>`SELECT e.id, e.script_id, e.command_id, e.device_id, e.partner_id, e.org_id, d.site_id,
      d.hostname, s.name AS script_name, s.exit_codes
    FROM script_executions e JOIN devices d ON d.id = e.device_id JOIN scripts s ON s.id = e.script_id
    WHERE e.command_id = ANY (${took.map(({ id }) => id)}::uuid[])`.execute(db)
  const stored = new Map(rows.map((row) => [row.commandId, row]))
  return took.flatMap((command): EndedRun[] => {
    const run = stored.get(command.id)
    const severity = run === undefined ? null : severityOf(run.exitCodes, command)
    return run === undefined || severity === null ? [] : [{ ...run, severity, command }]
  })
}

const endedEvent = ({ id: executionId, scriptId, scriptName, deviceId, severity, command }: EndedRun) => {
  const { id: commandId, status, exitCode } = command
  return aboutDevice(scriptEnded, deviceId, {
    scriptId,
    scriptName,
    executionId,
    commandId,
    status,
    severity,
    exitCode,
  })
}

/** One alert per script and device. The last of several ends counts. */
async function tellAlerts(db: Db, runs: readonly EndedRun[]): Promise<PartnerEvent[]> {
  const last = [...new Map(runs.map((run) => [`${run.scriptId}:${run.deviceId}`, run]))]
  const raised = await raiseAlerts(
    db,
    last.flatMap(([key, run]) => {
      const { severity, partnerId, orgId, siteId, deviceId, scriptName, command } = run
      if (severity === 'success' || severity === 'info') return []
      return [
        {
          ...{ source: 'script' as const, key, partnerId, orgId, siteId, deviceId },
          severity: alertSeverities[severity],
          title: `${scriptName}: ${severity}`,
          message: `${wordsOf(command)} on ${run.hostname}`,
          context: { scriptId: run.scriptId, executionId: run.id, exitCode: command.exitCode, status: command.status },
        },
      ]
    }),
  )
  const cleared = await clearAlerts(
    db,
    last.flatMap(([key, { severity }]) => (severity === 'success' ? [{ source: 'script' as const, key }] : [])),
  )
  return [...raised.events, ...cleared]
}

function wordsOf({ status, exitCode }: EndedCommand): string {
  if (status === 'timed_out') return 'The script did not end in time'
  return exitCode === null ? 'The script did not run' : `The script ended with exit code ${exitCode}`
}
