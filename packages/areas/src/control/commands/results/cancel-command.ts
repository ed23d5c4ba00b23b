import { conflict } from '@muster/kit/errors.ts'
import type { Call } from '../../../operation.ts'
import type { CommandSummary } from '../commands.contract.ts'
import { lockCommand } from '../commands.queries.ts'
import { nextStatus } from '../commands.rules.ts'
import { deliverCancels, publishCommands } from '../delivery/deliver-command.ts'
import { cancelCommands } from './cancel-commands.ts'

interface Place {
  readonly deviceId: string
  readonly commandId: string
}

/**
 * Cancels a command for a person. A running one is asked to stop.
 * @throws NOT_FOUND, CONFLICT when it has ended
 */
export async function cancelCommand(call: Call, place: Place): Promise<CommandSummary> {
  const { caller, db, services, audit, afterCommit } = call
  const before = await lockCommand(db, caller, place.deviceId, place.commandId)
  const { id, deviceId, orgId, partnerId, siteId, hostname: name, status } = before
  if (nextStatus(status, 'cancelled') === null) throw conflict(`The command has already ended: ${status}`)
  // A running command ends when its device reports it. Other commands end at once and are not sent again.
  const cancelled = status === 'running' ? [] : await cancelCommands(call, { ids: [id] }, null)
  audit({ target: deviceId, name, orgId, partnerId, details: { commandId: id, type: before.type, was: status } })
  afterCommit(() => deliverCancels(services, [before]))
  afterCommit(() => publishCommands(services, cancelled, () => ({ orgId, siteId, partnerId })))
  return cancelled[0] ?? before
}
