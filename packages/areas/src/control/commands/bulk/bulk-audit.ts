import type { Call } from '../../../operation.ts'
import type { SystemRecord } from '../../../platform/audit/index.ts'
import { commandType } from '../command-registry.ts'
import type { Command, QueuedCommand } from '../commands.contract.ts'
import type { Target } from '../commands.queries.ts'
import type { CommandSubject } from '../subject.contract.ts'

/** Few devices are named one by one, many by their organizations. */
const auditedAlone = 100

interface Batch {
  readonly type: QueuedCommand
  readonly batchId: string
  readonly approvalId?: string
  readonly subject?: CommandSubject
  readonly origin?: Readonly<Record<'kind' | 'id', string>>
  /** The user in whose name a plan sends them. */
  readonly owner?: string
}

/** The records of devices that were sent a command together. */
export function bulkNotes(
  commands: readonly Pick<Command, 'id' | 'deviceId' | 'orgId'>[],
  targets: readonly Target[],
  batch: Batch,
): SystemRecord[] {
  const action = 'device.command.bulk'
  const common = { ...batch, risk: commandType(batch.type).risk, devices: commands.length }
  const known = new Map(targets.map((target) => [target.id, target]))
  if (commands.length <= auditedAlone)
    return commands.map(({ id: commandId, deviceId, orgId }) => {
      const target = known.get(deviceId)
      const details = { ...common, commandId }
      return { action, target: deviceId, name: target?.hostname, orgId, partnerId: target?.partnerId, details }
    })
  return [...Map.groupBy(commands, (command) => command.orgId)].map(([orgId, own]) => {
    const deviceIds = own.map(({ deviceId }) => deviceId)
    const partnerId = known.get(deviceIds[0] ?? '')?.partnerId
    return { action, target: batch.batchId, orgId, partnerId, details: { ...common, deviceIds } }
  })
}

/** Puts on record which devices were sent a command together. */
export function auditBulk(
  { audit }: Pick<Call, 'audit'>,
  commands: readonly Command[],
  targets: readonly Target[],
  batch: Batch,
): void {
  for (const note of bulkNotes(commands, targets, batch)) audit(note)
}
