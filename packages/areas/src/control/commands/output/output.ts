// Streams the growing output of a command. Events only wake the watcher, which reads new output from the database. So nothing is
// lost between two events, and a watcher that reconnects continues at its offset.

import { asCaller, type Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { visibleDevices } from '../../../fleet/devices/index.ts'
import { type Call, implement } from '../../../operation.ts'
import { liveEventsOf } from '../../../platform/live-events/index.ts'
import { within } from '../../../tenancy/tenancy/index.ts'
import { requireContent } from '../command-content.ts'
import { commandChanged, commandOutput } from '../command-events.contract.ts'
import type { CommandStatus } from '../commands.contract.ts'
import { targetById } from '../commands.queries.ts'
import { hasEnded } from '../commands.rules.ts'
import { output as contract, type OutputEvent } from './output.contract.ts'

/** What the watcher has received so far. */
interface Reached {
  status: CommandStatus | null
  stdout: number
  stderr: number
}

export default implement(contract, {
  follow: (call) => followOutput(call, call.input),
})

interface Place {
  /** Of the device. */
  readonly id: string
  readonly commandId: string
  /** The offsets to begin with. */
  readonly stdout: number
  readonly stderr: number
}

/** Yields what the command has written and writes until it ends. @throws NOT_FOUND, FORBIDDEN */
export async function* followOutput(
  { caller, services, request }: Pick<Call, 'caller' | 'services' | 'request'>,
  { id, commandId, stdout, stderr }: Place,
): AsyncGenerator<OutputEvent> {
  const read = <T>(work: (db: Db) => Promise<T>) => asCaller(services.people, caller, 'read', work)
  const { partnerId } = await read((db) => targetById(db, caller, id))
  const left = new AbortController()
  try {
    const events = await liveEventsOf(services).watch({
      kinds: [commandChanged, commandOutput],
      partnerId,
      signal: AbortSignal.any([request.signal, left.signal]),
      accepts: (event) => event.commandId === commandId,
    })
    const reached: Reached = { status: null, stdout, stderr }
    const news = async function* () {
      const grown = await read((db) => growth(db, caller, { id, commandId }, reached))
      yield* piecesOf(grown, reached)
      return hasEnded(grown.status)
    }
    if (yield* news()) return
    for await (const _event of events) if (yield* news()) return
  } finally {
    left.abort()
  }
}

interface Growth {
  readonly status: CommandStatus
  readonly exitCode: number | null
  readonly error: string | null
  readonly stdout: string
  readonly stderr: string
}

// Offsets are bytes. Pieces end between characters, because the database has only whole characters.
const from = (column: 'stdout' | 'stderr', offset: number) =>
  sql<string>`convert_from(substring(convert_to(coalesce(${sql.ref(`command.${column}`)}, ''), 'UTF8') FROM ${offset + 1}::int), 'UTF8')`

async function growth(
  db: Db,
  caller: Caller,
  { id, commandId }: { id: string; commandId: string },
  reached: Reached,
): Promise<Growth> {
  const found = await db
    .selectFrom('deviceCommands as command')
    .innerJoin('devices', 'devices.id', 'command.deviceId')
    .where(visibleDevices(caller))
    .where(within(caller, 'command.orgId', 'command.partnerId'))
    .where('command.deviceId', '=', id)
    .where('command.id', '=', commandId)
    .select(['command.type', 'command.status', 'command.exitCode', 'command.error'])
    .select([from('stdout', reached.stdout).as('stdout'), from('stderr', reached.stderr).as('stderr')])
    .executeTakeFirst()
  if (found === undefined) throw notFound('Command')
  requireContent(caller, found.type)
  return found
}

function* piecesOf(grown: Growth, reached: Reached): Generator<OutputEvent> {
  if (grown.status !== reached.status) yield { type: 'status', status: grown.status }
  reached.status = grown.status
  for (const stream of ['stdout', 'stderr'] as const) {
    const output = grown[stream]
    if (output === '') continue
    yield { type: 'output', stream, offset: reached[stream], output }
    reached[stream] += Buffer.byteLength(output)
  }
  const { status, exitCode, error } = grown
  if (hasEnded(status)) yield { type: 'ended', status, exitCode, error }
}
