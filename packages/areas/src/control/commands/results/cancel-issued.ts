import { isOneOf } from '@muster/db/conditions.ts'
import type { Call } from '../../../operation.ts'
import { openStatuses } from '../commands.rules.ts'
import { deliverCancels, publishCommands } from '../delivery/deliver-command.ts'
import { cancelCommands } from './cancel-commands.ts'

/** Cancels the commands that no device has yet and, if wanted, asks devices to stop those that they have. */
export async function cancelIssued(
  call: Pick<Call, 'db' | 'services' | 'afterCommit'>,
  commandIds: readonly string[],
  { stopRunning }: { readonly stopRunning: boolean },
): Promise<void> {
  const { db, services, afterCommit } = call
  const open = await db
    .selectFrom('deviceCommands as command')
    .innerJoin('devices', 'devices.id', 'command.deviceId')
    .where(isOneOf('command.id', commandIds))
    .where(isOneOf('command.status', stopRunning ? openStatuses : ['pending']))
    .select([
      'command.id',
      'command.deviceId',
      'command.status',
      'devices.orgId',
      'devices.siteId',
      'devices.partnerId',
    ])
    .orderBy('command.id')
    .forUpdate('command')
    .execute()
  // A running command ends when its device reports it.
  const ids = open.flatMap(({ id, status }) => (status === 'running' ? [] : [id]))
  const canceled = await cancelCommands(call, { ids }, null)
  const places = new Map(open.map((command) => [command.deviceId, command]))
  afterCommit(() => deliverCancels(services, open))
  afterCommit(() => publishCommands(services, canceled, (deviceId) => places.get(deviceId)))
}
