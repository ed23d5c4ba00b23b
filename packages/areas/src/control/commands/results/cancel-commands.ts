import { equals, isOneOf } from '@muster/db/conditions.ts'
import type { Call } from '../../../operation.ts'
import { publishEvents } from '../../../platform/live-events/index.ts'
import type { CommandSummary } from '../commands.contract.ts'
import { summaryColumns } from '../commands.queries.ts'
import { statusesBefore } from '../commands.rules.ts'
import { Origin } from '../plans/origin.contract.ts'
import { applyOutcomes } from './outcomes.ts'

const StoredOrigin = Origin.nullable()

/** Cancels open commands and applies their outcomes. @returns the commands as they are now */
export async function cancelCommands(
  { db, services, afterCommit }: Pick<Call, 'db' | 'services' | 'afterCommit'>,
  which: { readonly ids: readonly string[] } | { readonly deviceId: string },
  error: string | null,
): Promise<CommandSummary[]> {
  const chosen = 'ids' in which ? isOneOf('command.id', which.ids) : equals('command.deviceId', which.deviceId)
  const ended = await db
    .updateTable('deviceCommands as command')
    .set({ status: 'cancelled', finishedAt: new Date(services.clock.now()).toISOString(), error })
    .where(chosen)
    .where('command.status', 'in', [...statusesBefore('cancelled')])
    .returning([...summaryColumns, 'command.partnerId', 'command.origin'])
    .execute()
  const canceled = ended.map((command) => ({ ...command, stdout: null, origin: StoredOrigin.parse(command.origin) }))
  const events = await applyOutcomes(db, services.outcomes, canceled)
  if (events.length > 0) afterCommit(() => publishEvents(services.redis, events))
  return ended.map(({ partnerId: _, origin: __, ...command }) => command)
}
