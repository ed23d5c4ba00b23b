import type { Call } from '../../../operation.ts'
import { commandType } from '../command-registry.ts'
import type { Command, QueuedCommand } from '../commands.contract.ts'
import type { Target } from '../commands.queries.ts'

/** Few devices are named one by one, many by their organizations. */
const auditedAlone = 100

interface Batch {
  readonly type: QueuedCommand
  readonly batchId: string
  readonly approvalId?: string
}

/** Puts on record which devices were sent a command together. */
export function auditBulk(
  { audit }: Pick<Call, 'audit'>,
  commands: readonly Command[],
  targets: readonly Target[],
  batch: Batch,
): void {
  const action = 'device.command.bulk'
  const common = { ...batch, risk: commandType(batch.type).risk, devices: commands.length }
  const known = new Map(targets.map((target) => [target.id, target]))
  if (commands.length <= auditedAlone) {
    for (const { id: commandId, deviceId, orgId } of commands) {
      const target = known.get(deviceId)
      const details = { ...common, commandId }
      audit({ action, target: deviceId, name: target?.hostname, orgId, partnerId: target?.partnerId, details })
    }
    return
  }
  for (const [orgId, own] of Map.groupBy(commands, (command) => command.orgId)) {
    const deviceIds = own.map(({ deviceId }) => deviceId)
    const partnerId = known.get(deviceIds[0] ?? '')?.partnerId
    audit({ action, target: batch.batchId, orgId, partnerId, details: { ...common, deviceIds } })
  }
}
