import { handleOn } from '@muster/db/database.ts'
import type pg from 'pg'
import type { EndedCommand } from '../../../background/outcome.ts'
import { records } from '../../../background/record.ts'
import { liveEvent, type PartnerEvent } from '../../../platform/live-events/index.ts'
import { commandChanged, commandOutput } from '../command-events.contract.ts'
import { hasEnded } from '../commands.rules.ts'
import {
  applyReport,
  type CommandProgress,
  type CommandRow,
  endsNow,
  hasNewOutput,
  startProgress,
} from './command-progress.ts'
import { applyOutcomes } from './outcomes.ts'

// Locked in the order of IDs, so that two writers do not deadlock.
const readCommands = {
  name: 'read-commands',
  text: `SELECT c.id, c.device_id, c.org_id, c.partner_id, d.site_id, c.type, c.status, c.origin,
      coalesce(octet_length(c.stdout), 0) AS stdout_bytes, coalesce(octet_length(c.stderr), 0) AS stderr_bytes
    FROM device_commands c JOIN devices d ON d.id = c.device_id
    WHERE c.id = ANY($1::uuid[]) ORDER BY c.id FOR UPDATE OF c`,
}

const writeCommands = {
  name: 'write-commands',
  text: `UPDATE device_commands c SET
      status = u.status,
      sent_at = coalesce(c.sent_at, to_timestamp(u.sent_ms / 1000)),
      started_at = coalesce(c.started_at, to_timestamp(u.started_ms / 1000)),
      finished_at = coalesce(c.finished_at, to_timestamp(u.finished_ms / 1000)),
      exit_code = coalesce(u.exit_code, c.exit_code),
      result = coalesce(u.result::jsonb, c.result),
      error = coalesce(u.error, c.error),
      stdout = coalesce(u.stdout, CASE WHEN u.stdout_more = '' THEN c.stdout ELSE coalesce(c.stdout, '') || u.stdout_more END),
      stderr = coalesce(u.stderr, CASE WHEN u.stderr_more = '' THEN c.stderr ELSE coalesce(c.stderr, '') || u.stderr_more END)
    FROM unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[], $5::float8[], $6::int[], $7::text[], $8::text[],
                $9::text[], $10::text[], $11::text[], $12::text[])
      AS u(id, status, sent_ms, started_ms, finished_ms, exit_code, result, error, stdout, stdout_more, stderr, stderr_more)
    WHERE c.id = u.id`,
}

/** Stores what devices and gateways report about commands, and applies the outcomes of those that ended. */
export const commandReports = records({
  names: ['sent', 'refused', 'progress', 'result'],
  keep: 'all',
  async store(client, reports, { outcomes }) {
    const ids = [...new Set(reports.map(({ body }) => body.commandId))]
    const { rows } = await client.query<CommandRow>({ ...readCommands, values: [ids] })
    const commands = new Map(rows.map((row) => [row.id, startProgress(row)]))
    // Reports about commands that do not exist or belong to another device.
    let dropped = 0
    for (const report of reports) {
      const command = commands.get(report.body.commandId)
      if (command?.row.device_id === report.deviceId) applyReport(command, report)
      else dropped++
    }
    const changed = [...commands.values()].filter((command) => command.changed)
    if (changed.length === 0) return { dropped }
    await writeProgress(client, changed)
    const events = await applyOutcomes(handleOn(client), outcomes, changed.filter(endsNow).map(endedCommand))
    return { dropped, events: [...events, ...changed.flatMap(eventsOf)] }
  },
})

const endedCommand = ({ row, status, exitCode, stdout }: CommandProgress): EndedCommand => ({
  id: row.id,
  type: row.type,
  deviceId: row.device_id,
  orgId: row.org_id,
  partnerId: row.partner_id,
  status,
  exitCode,
  stdout: stdout.replaced,
  origin: row.origin,
})

async function writeProgress(client: pg.PoolClient, commands: readonly CommandProgress[]): Promise<void> {
  await client.query({
    ...writeCommands,
    values: [
      commands.map((command) => command.row.id),
      commands.map((command) => command.status),
      commands.map((command) => command.sentAtMs),
      commands.map((command) => command.startedAtMs),
      commands.map((command) => command.finishedAtMs),
      commands.map((command) => command.exitCode),
      commands.map(({ result }) => (result === null ? null : JSON.stringify(result))),
      commands.map((command) => command.error),
      commands.map((command) => command.stdout.replaced),
      commands.map((command) => command.stdout.appended.join('')),
      commands.map((command) => command.stderr.replaced),
      commands.map((command) => command.stderr.appended.join('')),
    ],
  })
}

function eventsOf(command: CommandProgress): PartnerEvent[] {
  const { row, status, exitCode, startedAtMs, finishedAtMs } = command
  const at = (hasEnded(status) ? finishedAtMs : startedAtMs) ?? Date.now()
  const place = { orgId: row.org_id, siteId: row.site_id, deviceId: row.device_id, at, commandId: row.id }
  return [
    ...(status === row.status
      ? []
      : [liveEvent(commandChanged, row.partner_id, { ...place, commandType: row.type, status, exitCode })]),
    ...(status === 'running' && hasNewOutput(command) ? [liveEvent(commandOutput, row.partner_id, place)] : []),
  ]
}
