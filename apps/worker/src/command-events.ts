import type { CommandStatus } from '@muster/areas/control/commands/commands.contract.ts'
import { type CommandEvent, hasEnded, nextStatus } from '@muster/areas/control/commands/commands.rules.ts'
import type pg from 'pg'
import type { CommandRecord, Owned } from './decoded.ts'
import type { DeviceChange } from './inventory.ts'
import { outputBytesMax } from './limits.ts'
import { fieldsIn, type Said, storeScriptFields } from './script-fields.ts'

/** A command whose state is now another one. */
export interface CommandChange {
  commandId: string
  deviceId: string
  orgId: string
  partnerId: string
  siteId: string | null
  commandType: string
  status: CommandStatus
  exitCode: number | null
  atMs: number
}

/** A command that has shown more of its output and goes on. What it is, watchers read from the store. */
export type CommandOutput = Pick<CommandChange, 'commandId' | 'deviceId' | 'orgId' | 'partnerId' | 'siteId' | 'atMs'>

interface CommandRow {
  id: string
  device_id: string
  org_id: string
  partner_id: string
  site_id: string | null
  type: string
  status: CommandStatus
  stdout_bytes: number
  stderr_bytes: number
}

interface Output {
  /** Bytes that the row holds, with what is to be appended. */
  bytes: number
  appended: string[]
  replaced: string | null
}

interface Story {
  row: CommandRow
  status: CommandStatus
  sentAtMs: number | null
  startedAtMs: number | null
  finishedAtMs: number | null
  exitCode: number | null
  result: Record<string, unknown> | null
  error: string | null
  stdout: Output
  stderr: Output
  changed: boolean
}

// Locked in one order, so that two writers never wait for each other.
const readCommands = {
  name: 'read-commands',
  text: `SELECT c.id, c.device_id, c.org_id, c.partner_id, d.site_id, c.type, c.status,
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

export interface StoredCommands {
  changes: CommandChange[]
  outputs: CommandOutput[]
  /** Devices of which scripts changed a custom field. */
  devices: DeviceChange[]
  /** Records about commands that do not exist or belong to another device. */
  foreign: number
}

/** Applies what agents and nodes report of commands. What has ended stays as it ended. */
export async function storeCommandEvents(
  client: pg.PoolClient,
  records: readonly Owned<CommandRecord>[],
): Promise<StoredCommands> {
  if (records.length === 0) return { changes: [], outputs: [], devices: [], foreign: 0 }
  const ids = [...new Set(records.map(({ record }) => record.body.commandId))]
  const { rows } = await client.query<CommandRow>({ ...readCommands, values: [ids] })
  const stories = new Map(rows.map((row) => [row.id, startStory(row)]))
  let foreign = 0
  for (const { deviceId, record } of records) {
    const story = stories.get(record.body.commandId)
    if (story?.row.device_id === deviceId) tell(story, record)
    else foreign++
  }
  const changed = [...stories.values()].filter((story) => story.changed)
  const devices = await storeScriptFields(client, changed.flatMap(saidBy))
  if (changed.length > 0) await writeStories(client, changed)
  const changes = changed.filter((story) => story.status !== story.row.status).map(changeOf)
  const outputs = changed.filter((story) => story.status === 'running' && hasShown(story)).map(changeOf)
  return { changes, outputs, devices, foreign }
}

const hasShown = ({ stdout, stderr }: Story): boolean => stdout.appended.length + stderr.appended.length > 0

/** What a script that has ended says about its device. What became of it stands with the command's result. */
function saidBy(story: Story): Said[] {
  const { row, status, stdout } = story
  const isOver = status !== row.status && (status === 'completed' || status === 'failed')
  if (row.type !== 'run_script' || !isOver || stdout.replaced === null) return []
  const fields = fieldsIn(stdout.replaced)
  if (fields.values.size + fields.refused.length === 0) return []
  const tell: Said['tell'] = (customFields) => {
    story.result = { ...story.result, customFields }
  }
  return [{ deviceId: row.device_id, ...fields, tell }]
}

function startStory(row: CommandRow): Story {
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

const outdated = 'AGENT_TOO_OLD'

function eventOf(record: CommandRecord): CommandEvent {
  switch (record.kind) {
    case 'progress':
      return 'running'
    case 'result':
      return record.body.status
    // An agent that cannot check signatures is not served any more: waiting would change nothing.
    case 'refused':
      return record.body.reason === outdated ? 'failed' : 'refused'
    default:
      return record.kind
  }
}

function tell(story: Story, record: CommandRecord): void {
  const next = nextStatus(story.status, eventOf(record))
  if (next === null) return
  const isNews = next !== story.status
  story.status = next
  story.changed ||= isNews
  if (record.kind === 'sent') story.sentAtMs ??= record.atMs
  if (record.kind === 'progress') tellProgress(story, record)
  if (record.kind === 'result') tellResult(story, record)
  if (record.kind === 'refused' && next === 'failed') {
    story.finishedAtMs = record.atMs
    story.error = `${outdated}: the agent of this device cannot check signed orders; update it`
  }
}

function tellProgress(story: Story, { body, atMs }: Extract<CommandRecord, { kind: 'progress' }>): void {
  story.startedAtMs ??= atMs
  if (body.output === undefined || body.output === '') return
  append(story[body.stream ?? 'stdout'], body.output, body.offset)
  story.changed = true
}

function tellResult(story: Story, { body, atMs }: Extract<CommandRecord, { kind: 'result' }>): void {
  story.startedAtMs ??= atMs - body.durationMs
  story.finishedAtMs = atMs
  story.exitCode = body.exitCode ?? null
  story.result = body.result ?? null
  story.error = body.error ?? null
  if (body.stdout !== undefined) story.stdout.replaced = firstBytes(body.stdout, outputBytesMax)
  if (body.stderr !== undefined) story.stderr.replaced = firstBytes(body.stderr, outputBytesMax)
}

/** Appends what is new of a piece that starts at `offset` (bytes); without an offset all of it is. */
function append(output: Output, piece: string, offset: number = output.bytes): void {
  const bytes = Buffer.from(piece)
  const known = Math.max(0, output.bytes - offset)
  const fresh = known === 0 ? piece : bytes.toString('utf8', known)
  const more = firstBytes(fresh, outputBytesMax - output.bytes)
  output.bytes += Buffer.byteLength(more)
  output.appended.push(more)
}

/** The longest beginning of a text that takes no more than so many bytes and ends between characters. */
function firstBytes(text: string, bytesMax: number): string {
  if (bytesMax <= 0) return ''
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  let end = bytesMax
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

async function writeStories(client: pg.PoolClient, stories: readonly Story[]): Promise<void> {
  await client.query({
    ...writeCommands,
    values: [
      stories.map((story) => story.row.id),
      stories.map((story) => story.status),
      stories.map((story) => story.sentAtMs),
      stories.map((story) => story.startedAtMs),
      stories.map((story) => story.finishedAtMs),
      stories.map((story) => story.exitCode),
      stories.map(({ result }) => (result === null ? null : JSON.stringify(result))),
      stories.map((story) => story.error),
      stories.map((story) => story.stdout.replaced),
      stories.map((story) => story.stdout.appended.join('')),
      stories.map((story) => story.stderr.replaced),
      stories.map((story) => story.stderr.appended.join('')),
    ],
  })
}

function changeOf(story: Story): CommandChange {
  const { row } = story
  return {
    commandId: row.id,
    deviceId: row.device_id,
    orgId: row.org_id,
    partnerId: row.partner_id,
    siteId: row.site_id,
    commandType: row.type,
    status: story.status,
    exitCode: story.exitCode,
    atMs: hasEnded(story.status) ? (story.finishedAtMs ?? Date.now()) : (story.startedAtMs ?? Date.now()),
  }
}
