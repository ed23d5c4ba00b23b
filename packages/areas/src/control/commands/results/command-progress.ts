import type { RecordOf } from '../../../background/record.ts'
import type { CommandStatus } from '../commands.contract.ts'
import { type CommandEvent, hasEnded, nextStatus } from '../commands.rules.ts'
import type { Origin } from '../plans/origin.contract.ts'

/** What devices and gateways report about commands. */
export type CommandReport = RecordOf<'sent' | 'refused' | 'progress' | 'result'> & { readonly atMs: number }

/** Stored output of each stream. */
export const outputBytesMax = 256 * 1024

export interface CommandRow {
  readonly id: string
  readonly device_id: string
  readonly org_id: string
  readonly partner_id: string
  readonly site_id: string | null
  readonly type: string
  readonly status: CommandStatus
  readonly origin: Origin | null
  readonly stdout_bytes: number
  readonly stderr_bytes: number
}

interface Output {
  /** Bytes in the row and in `appended`. */
  bytes: number
  appended: string[]
  replaced: string | null
}

/** A command with the changes that reports of one transaction make. */
export interface CommandProgress {
  readonly row: CommandRow
  status: CommandStatus
  sentAtMs: number | null
  startedAtMs: number | null
  finishedAtMs: number | null
  exitCode: number | null
  result: Record<string, unknown> | null
  error: string | null
  readonly stdout: Output
  readonly stderr: Output
  changed: boolean
}

export function startProgress(row: CommandRow): CommandProgress {
  const output = (bytes: number): Output => ({ bytes, appended: [], replaced: null })
  return {
    row,
    status: row.status,
    sentAtMs: null,
    startedAtMs: null,
    finishedAtMs: null,
    exitCode: null,
    result: null,
    error: null,
    stdout: output(row.stdout_bytes),
    stderr: output(row.stderr_bytes),
    changed: false,
  }
}

/** The command ended by these reports, not before. */
export const endsNow = ({ row, status }: CommandProgress): boolean => status !== row.status && hasEnded(status)

export const hasNewOutput = ({ stdout, stderr }: CommandProgress): boolean =>
  stdout.appended.length + stderr.appended.length > 0

const outdated = 'AGENT_TOO_OLD'

function eventOf(report: CommandReport): CommandEvent {
  switch (report.name) {
    case 'sent':
      return 'sent'
    case 'progress':
      return 'running'
    case 'result':
      return report.body.status
    // Agents that cannot check signatures receive no commands any more, so a retry would not help.
    case 'refused':
      return report.body.reason === outdated ? 'failed' : 'refused'
  }
}

/** Applies a report. A command that has ended does not change. */
export function applyReport(progress: CommandProgress, report: CommandReport): void {
  const next = nextStatus(progress.status, eventOf(report))
  if (next === null) return
  progress.changed ||= next !== progress.status
  progress.status = next
  if (report.name === 'sent') progress.sentAtMs ??= report.atMs
  if (report.name === 'progress') applyOutput(progress, report)
  if (report.name === 'result') applyResult(progress, report)
  if (report.name === 'refused' && next === 'failed') {
    progress.finishedAtMs = report.atMs
    progress.error = `${outdated}: the agent of this device cannot check signed orders; update it`
  }
}

function applyOutput(
  progress: CommandProgress,
  { body, atMs }: Extract<CommandReport, { readonly name: 'progress' }>,
): void {
  progress.startedAtMs ??= atMs
  if (body.output === undefined || body.output === '') return
  append(progress[body.stream ?? 'stdout'], body.output, body.offset)
  progress.changed = true
}

function applyResult(
  progress: CommandProgress,
  { body, atMs }: Extract<CommandReport, { readonly name: 'result' }>,
): void {
  progress.startedAtMs ??= atMs - body.durationMs
  progress.finishedAtMs = atMs
  progress.exitCode = body.exitCode ?? null
  progress.result = body.result ?? null
  progress.error = body.error ?? null
  if (body.stdout !== undefined) progress.stdout.replaced = firstBytes(body.stdout, outputBytesMax)
  if (body.stderr !== undefined) progress.stderr.replaced = firstBytes(body.stderr, outputBytesMax)
}

/** Appends the part of a piece at `offset` (in bytes) that is not stored yet; all of it without an offset. */
function append(output: Output, piece: string, offset: number = output.bytes): void {
  const bytes = Buffer.from(piece)
  const known = Math.max(0, output.bytes - offset)
  const fresh = known === 0 ? piece : bytes.toString('utf8', known)
  const more = firstBytes(fresh, outputBytesMax - output.bytes)
  output.bytes += Buffer.byteLength(more)
  output.appended.push(more)
}

/** The longest prefix of whole characters within the limit. */
function firstBytes(text: string, bytesMax: number): string {
  if (bytesMax <= 0) return ''
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  let end = bytesMax
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
